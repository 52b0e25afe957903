import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayQuery
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Walks along indexes")
struct WalkTests {
    @Test(
        "pages of any size contain every row once, along an index and against it",
        arguments: [1, 7, 50, 1_000])
    func pages(_ limit: Int) async throws {
        let fixture = try await APIFixture(fetching: "people")
        for index in ["key", "by_login"] {
            let path = "/-/resources/people?by=\(index)&limit=\(limit)"
            let ids = Array(Int64(1)...50)
            let expected = index == "key" ? ids : ids.sorted { "\($0)" < "\($1)" }
            let (up, pages) = await fixture.walk(path)
            #expect(up == expected)
            #expect(pages == (50 + limit - 1) / limit)
            #expect(await fixture.walk(path + "&order=descending").ids == expected.reversed())
        }
        #expect(!fixture.feed.requests.contains { $0.contains("next 50") }, "a walk sends no request")
    }

    @Test("bounds select the stretch")
    func bounds() async throws {
        let fixture = try await APIFixture(fetching: "people")
        func ids(_ query: String) async -> [Int64] {
            await fixture.get("/-/resources/people?limit=100&" + query).ids
        }
        #expect(await ids("by=key&from=48") == [48, 49, 50])
        #expect(await ids("to=2") == [1, 2])
        #expect(await ids("from=3&to=5&order=descending") == [5, 4, 3])
        #expect(await ids("equal=7") == [7])
        #expect(await ids("equal=99") == [])
        #expect(await ids("by=by_login&prefix=USER-4") == [4] + Array(40...49))
        #expect(await ids("by=by_login&equal=user-12") == [12])
        #expect(await ids("by=by_name_folded&prefix=User%204") == [])
    }

    @Test("an index of titles folds the text like the titles")
    func foldedTitles() async throws {
        let fixture = try await APIFixture()
        for login in ["user-4", "user-41", "user-5"] { _ = await fixture.get("/-/resources/people/\(login)") }
        let found = await fixture.get("/-/resources/people?by=by_name_folded&prefix=USER%204")
        #expect(found.ids == [4, 41])
    }

    @Test("a compound index accepts a value for each part")
    func compound() async throws {
        let fixture = try await APIFixture(changes: ScriptedFeed.changes(12, of: 1))
        try await fixture.fetch("projects", "octocat")
        try await fixture.fetch("changes", "octocat/p-1")
        let sha = String(repeating: "0", count: 39) + "b"
        let one = await fixture.get("/-/resources/changes?equal=1&equal=\(sha)")
        #expect(one.rows.compactMap { $0["message"]?.word } == ["change 11"])
        #expect(await fixture.get("/-/resources/changes?equal=1").rows.count == 12)
        #expect(await fixture.get("/-/resources/changes?prefix=1&prefix=00").rows.count == 12)
        #expect(await fixture.get("/-/resources/changes?equal=2").rows.isEmpty)
        let shown = await fixture.get("/-/resources/changes/1%2F\(sha)")
        #expect(shown.json["message"]?.word == "change 11")
    }

    @Test("rows that are no longer listed are left out, and pages stay full")
    func gone() async throws {
        let fixture = try await APIFixture(people: 1...10, fetching: "people")
        try await fixture.drop(4)
        let (ids, pages) = await fixture.walk("/-/resources/people?by=key&limit=3")
        #expect(ids == [1, 2, 3, 5, 6, 7, 8, 9, 10])
        #expect(pages == 3)
    }

    @Test("a token is valid only for its walk")
    func tokens() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let next = await fixture.get("/-/resources/people?by=key&limit=5").next ?? ""
        let token = next.split(separator: "after=").last ?? ""
        #expect(await fixture.get("/-/resources/people?by=key&limit=2&after=\(token)").ids == [6, 7])
        #expect(await fixture.get("/-/resources/people?by=key&fields=id&after=\(token)").ids.first == 6)
        let others = [
            "people?by=by_login&after=\(token)", "people?by=key&order=descending&after=\(token)",
            "people?by=key&from=1&after=\(token)", "people?after=\(token)", "projects?by=key&after=\(token)",
            "people?by=key&after=A\(token.dropFirst())", "people?by=key&after=\(token)AAAA",
        ]
        for path in others {
            let answer = await fixture.get("/-/resources/" + path)
            #expect(answer.status == 404, "\(path)")
            #expect(answer.parameter == "after")
        }
    }

    @Test("a token stays valid after a restart of the server")
    func tokensOfAnotherProcess() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let next = await fixture.get("/-/resources/people?by=key&limit=5").next ?? ""
        let other = APIResponder(
            [fixture.gateway], questions: StoredQuestions([fixture.gateway]), clock: fixture.clock.layerClock)
        #expect(await TestAnswer(other.respond(to: APIFixture.request(.get, next))).ids == Array(6...10))
    }

    @Test("only the chosen fields are returned, in the given order")
    func fields() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let row = await fixture.get("/-/resources/people?by=key&limit=1&fields=login,id,gone_at").rows[0]
        #expect(row.members.map(\.name) == ["login", "id", "gone_at"])
    }

    @Test("rows of lists that were not fetched to their ends are not complete", arguments: ["json", "jsonl"])
    func partialLists(_ type: String) async throws {
        let fixture = try await APIFixture()
        let answer = { await fixture.get("/-/resources/people?by=key", ["Accept": "application/" + type]) }
        #expect(
            await answer()["Patchbay-Answer"]?.contains(
                "complete=?0, reason=\"no list of people was ever fetched to its end\"") == true)
        try await fixture.fetch("people")
        #expect(await answer()["Patchbay-Answer"]?.contains("complete=?1") == true)
    }

    @Test("JSON Lines contain all rows, or as many as the limit")
    func lines() async throws {
        let fixture = try await APIFixture(people: 1...2_500, fetching: "people")
        let accept = ["Accept": "application/jsonl"]
        let all = await fixture.get("/-/resources/people?by=key&from=11", accept)
        #expect(all.isStream)
        #expect(all.ids == Array(11...2_500))
        #expect(all["Patchbay-Answer"] == "state=local-only, complete=?1")
        #expect(all["Cache-Status"] == "patchbay; hit")
        let some = await fixture.get("/-/resources/people?by=key&limit=3", accept)
        #expect(!some.isStream)
        #expect(some.ids == [1, 2, 3])
        #expect(some.text.hasSuffix("}\n"))
    }

    @Test("a page and whether it is complete are read in one transaction")
    func oneTransaction() async throws {
        let storage = CountingStorage()
        let fixture = try await APIFixture(storage: storage, fetching: "people")
        let before = storage.reads
        let page = await fixture.get("/-/resources/people?by=key&limit=3")
        #expect(page["Patchbay-Answer"]?.contains("complete=?1") == true)
        #expect(storage.reads == before + 1)
    }

    @Test(
        "a stream that is to have all rows breaks off when rows have changed since it began",
        arguments: ["edit", "clear", "nothing"])
    func changedRows(_ change: String) async throws {
        let fixture = try await APIFixture(people: 1...2_500, fetching: "people")
        let response = await fixture.api.respond(
            to: APIFixture.request(
                .get, "/-/resources/people?by=key&order=descending", ["Accept": "application/jsonl"]))
        guard case .stream(let write) = response.body else {
            Issue.record("the answer is not a stream")
            return
        }
        #expect(
            response.head.headerFields[HTTPField.Name("Patchbay-Answer")!]?.contains("complete=?1") == true)
        let pieces = Pieces()
        let writer = ServerResponse.Writer { piece in
            await pieces.add(piece)
            if change == "edit" { try await fixture.edit("user-7", name: "Seven") }
            if change == "clear" { try await fixture.gateway.clear(fixture.gateway.resource("people")) }
        }
        if change == "nothing" {
            try await write(writer)
        } else {
            let error = await #expect(throws: PatchbayError.self) { try await write(writer) }
            #expect(error?.code == .conflict)
        }
        #expect(await pieces.all.count == (change == "nothing" ? 3 : 1))
    }

    @Test("a stream reads only as far as its client, in short transactions")
    func backPressure() async throws {
        let storage = CountingStorage()
        let fixture = try await APIFixture(people: 1...2_500, storage: storage, fetching: "people")
        let response = await fixture.api.respond(
            to: APIFixture.request(.get, "/-/resources/people?by=key", ["Accept": "application/jsonl"]))
        guard case .stream(let write) = response.body else {
            Issue.record("the answer is not a stream")
            return
        }
        struct Gone: Error {}
        let before = storage.reads
        let pieces = Pieces()
        await #expect(throws: Gone.self) {
            try await write(
                ServerResponse.Writer { piece in
                    await pieces.add(piece)
                    #expect(storage.reads == before + 1, "one transaction per piece")
                    throw Gone()
                })
        }
        #expect(await pieces.all.count == 1)
        #expect(storage.reads == before + 1)
    }
}

import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Lists of the source")
struct ListTests {
    @Test("local-first fetches missing rows, then answers with stored ones and refreshes in the background")
    func localFirst() async throws {
        let fixture = try await APIFixture()
        let path = "/-/resources/people?limit=20"
        let first = await fixture.get(path)
        #expect(first.ids == Array(1...20))
        #expect(first["Cache-Status"] == "patchbay; fwd=miss; stored")
        #expect(first["Patchbay-Answer"]?.contains("state=fresh, complete=?1, more=?1") == true)
        #expect(fixture.feed.requests == ["people after 0"])

        fixture.feed.change("people") { $0[2]["login"] = .text("renamed") }
        fixture.clock.advance(by: .seconds(90))
        let second = await fixture.get(path)
        #expect(second["Cache-Status"] == "patchbay; hit")
        #expect(second["Age"] == "90")
        #expect(second.rows[2]["login"]?.word == "user-3")
        await fixture.api.api.refreshes.settle()
        #expect(fixture.feed.requests == ["people after 0", "people after 0 if changed"])
        #expect(await fixture.get(path).rows[2]["login"]?.word == "renamed")
    }

    @Test("the source is queried in the background at most once a minute")
    func refreshesRarely() async throws {
        let fixture = try await APIFixture()
        let path = "/-/resources/people?limit=20"
        for _ in 0..<5 {
            _ = await fixture.get(path)
            await fixture.api.api.refreshes.settle()
        }
        #expect(fixture.feed.requests.count == 2)
        fixture.clock.advance(by: API.refreshIntervalMin)
        _ = await fixture.get(path)
        await fixture.api.api.refreshes.settle()
        #expect(fixture.feed.requests.count == 3)
    }

    @Test("the next page follows the last row of the page before, wherever that row is by then")
    func movedRows() async throws {
        let fixture = try await APIFixture(projects: 1...12)
        try await fixture.fetch("projects", "octocat")
        let path = "/-/resources/projects?of=octocat&policy=local-only&limit=4"
        let first = await fixture.get(path)
        #expect(first.ids == [1, 2, 3, 4])
        let next = try #require(first.next)
        let lines = await fixture.get(
            next.replacing("&limit=4", with: "").replacing("limit=4&", with: ""),
            ["Accept": "application/jsonl"])
        #expect(lines.status == 400 && lines.parameter == "after")
        fixture.feed.change("projects") { $0.removeFirst(2) }
        try await fixture.fetch("projects", "octocat")
        #expect(await fixture.get(next).ids == [5, 6, 7, 8])
        fixture.feed.change("projects") { $0.insert(ScriptedFeed.projects(20...20)[0], at: 0) }
        try await fixture.fetch("projects", "octocat")
        #expect(await fixture.get(next).ids == [5, 6, 7, 8])
        // After the last row of the first page at its new place, rows would be left out.
        fixture.feed.change("projects") { $0.append($0.remove(at: 2)) }
        try await fixture.fetch("projects", "octocat")
        #expect(await fixture.get(next).status == 404)
        // It is no longer listed.
        fixture.feed.change("projects") { $0.removeLast() }
        try await fixture.fetch("projects", "octocat")
        #expect(await fixture.get(next).status == 404)
    }

    @Test("an answer has changed if another page follows it now, and 304 names the next page as well")
    func laterPage() async throws {
        for path in ["of=octocat&policy=local-only&limit=4", "by=key&limit=4"] {
            let path = "/-/resources/projects?" + path
            let fixture = try await APIFixture(projects: 1...4)
            try await fixture.fetch("projects", "octocat")
            let first = await fixture.get(path)
            #expect(first.next == nil && first.ids.count == 4)
            fixture.feed.change("projects") { $0 = ScriptedFeed.projects(1...5) }
            try await fixture.fetch("projects", "octocat")
            let second = await fixture.get(path, ["If-None-Match": first.tag])
            #expect(second.status == 200 && second.next != nil)
            // Another revision, but the same answer.
            try await fixture.fetch("people")
            let third = await fixture.get(path, ["If-None-Match": second.tag])
            #expect(third.status == 304 && third.next == second.next)
            #expect(third["Patchbay-Answer"] == second["Patchbay-Answer"])
        }
    }

    @Test("JSON Lines that cannot be complete have no end if their head does not say so")
    func brokenOff() async throws {
        let fixture = try await APIFixture(projects: 1...45), accept = ["Accept": "application/jsonl"]
        let failure = PatchbayError(.offline, "no network")
        for stored in [0, 45] {
            fixture.feed.answers.fail(with: failure, afterAnswers: 2)
            let answer = await fixture.get("/-/resources/projects?of=octocat&policy=refresh", accept)
            #expect(answer.text.contains("broken off"), "\(stored) stored rows")
            fixture.feed.answers.fail(with: nil)
            try await fixture.fetch("projects", "octocat")
        }
        fixture.feed.answers.fail(with: failure)
        let stored = await fixture.get("/-/resources/projects?of=octocat&policy=remote-first", accept)
        #expect(stored.ids == Array(1...45) && stored["Patchbay-Answer"]?.contains("state=failed") == true)
    }

    @Test("the policies query the source as they do in the library")
    func policies() async throws {
        let fixture = try await APIFixture()
        func get(_ policy: String) async -> TestAnswer {
            await fixture.get("/-/resources/people?limit=20&policy=\(policy)")
        }
        let nothing = await get("local-only")
        #expect(nothing.ids.isEmpty)
        #expect(
            nothing["Patchbay-Answer"]
                == "state=local-only, complete=?0, reason=\"this list was never fetched\"")
        #expect(fixture.feed.requests.isEmpty)
        #expect(await get("remote-first")["Cache-Status"] == "patchbay; fwd=request; stored")
        #expect(
            await get("remote-first")["Cache-Status"] == "patchbay; fwd=request; stored; detail=unchanged")
        #expect(await get("refresh").ids == Array(1...20))
        #expect(
            fixture.feed.requests == ["people after 0", "people after 0 if changed", "people after 0"])
        #expect(await get("local-only").ids == Array(1...20))
    }

    @Test("pages of an ordered list and of a linked list contain every row once")
    func pages() async throws {
        let fixture = try await APIFixture(projects: 1...45)
        #expect(await fixture.walk("/-/resources/people?limit=15").ids == Array(1...50))
        let projects = await fixture.walk("/-/resources/projects?of=octocat&limit=10&policy=remote-first")
        #expect(projects.ids == Array(1...45))
    }

    @Test("a list is selected by its name and its arguments")
    func words() async throws {
        let fixture = try await APIFixture(changes: ScriptedFeed.changes(3, of: 1))
        #expect(await fixture.get("/-/resources/projects?list=all").ids == Array(1...5))
        #expect(await fixture.get("/-/resources/changes?of=octocat%2Fp-1").rows.count == 3)
        let missing = await fixture.get("/-/resources/projects?list=all&of=octocat")
        #expect(missing.parameter == "of")
        #expect(await fixture.get("/-/resources/projects?policy=refresh").parameter == "policy")
        #expect(
            await fixture.get("/-/resources/people?of=x").detail
                == "of: the list of people needs no value; leave the parameter out")
        #expect(
            await fixture.get("/-/resources/projects?of=x&of=y").detail
                == "of: the list of projects needs owner, in one \"of\", and 2 were given")
        #expect(await fixture.get("/-/resources/projects?list=al").detail.contains("known: all"))
    }

    @Test("without the arguments of its lists, a resource's stored rows are returned in key order")
    func storedRows() async throws {
        let fixture = try await APIFixture()
        #expect(await fixture.get("/-/resources/projects").ids.isEmpty)
        try await fixture.fetch("projects", "octocat")
        #expect(await fixture.get("/-/resources/projects").ids == Array(1...5))
    }

    @Test("stored rows are returned, and marked, while the source is offline")
    func offline() async throws {
        let fixture = try await APIFixture()
        _ = await fixture.get("/-/resources/people?limit=20")
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        fixture.clock.advance(by: .seconds(3_600))
        let answer = await fixture.get("/-/resources/people?limit=20&policy=remote-first")
        #expect(answer.status == 200)
        #expect(answer.ids == Array(1...20))
        #expect(answer["Age"] == "3600")
        #expect(answer["Cache-Status"] == "patchbay; hit; detail=offline")
        #expect(answer["Patchbay-Answer"]?.contains("state=failed, complete=?1") == true)
        #expect(answer["Patchbay-Answer"]?.contains("error=\"offline\"") == true)
    }

    @Test("a partly stored stretch waits for the source, and reports gaps if that fails")
    func partial() async throws {
        let fixture = try await APIFixture()
        _ = await fixture.get("/-/resources/people?limit=20")
        let whole = await fixture.get("/-/resources/people?limit=40")
        #expect(whole.ids == Array(1...40))
        #expect(whole["Cache-Status"] == "patchbay; fwd=partial; stored")
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        let part = await fixture.get("/-/resources/people?limit=50")
        #expect(part.ids == Array(1...40))
        #expect(part["Patchbay-Answer"]?.contains("complete=?0") == true)
    }

    @Test("an impossible key is 404, in the path and as the value of a list")
    func impossibleKey() async throws {
        let fixture = try await APIFixture()
        fixture.feed.answers.fail(with: PatchbayError(.invalidValue, "\"x\" cannot be a person"))
        let answer = await fixture.get("/-/resources/people/x")
        #expect(answer.status == 404)
        #expect(answer.json["detail"]?.word == "\"x\" cannot be a person")
        #expect(answer.json["parameter"]?.word == "key")
        for accept in ["application/json", "application/jsonl"] {
            let list = await fixture.get(
                "/-/resources/projects?of=x&policy=remote-first", ["Accept": accept])
            #expect(list.status == 404)
            #expect(list.parameter == "of")
        }
        // The number of its parts is known without the source.
        for handle in ["-5.05e222", "a/", "a/b/c"] {
            let sync = await fixture.send(.post, "/-/resources/changes/sync?of=\(handle)")
            #expect(sync.status == 404)
            #expect(sync.parameter == "of")
            #expect(sync.json["detail"]?.word == "\"\(handle)\" cannot be a project; write OWNER/NAME")
        }
    }

    @Test(
        "a failure without stored rows is a problem",
        arguments: [
            (PatchbayError.Code.offline, 503), (.rateLimited, 429), (.unauthorized, 502),
            (.invalidResponse, 502),
            (.notFound, 404), (.invalidValue, 400), (.storageFull, 507), (.internalError, 500),
        ])
    func failure(_ code: PatchbayError.Code, _ status: Int) async throws {
        let fixture = try await APIFixture()
        let resets = fixture.clock.now().milliseconds / 1_000 + 60
        let time = Timestamp(milliseconds: resets * 1_000)
        fixture.feed.answers.fail(
            with: PatchbayError(code, "https://u:pw@h.example failed", [.retryAt(time)]))
        let answer = await fixture.get("/-/resources/people")
        #expect(answer.status == status)
        #expect(answer.json["code"]?.word == code.rawValue)
        #expect(answer.detail == "https://u:REDACTED@h.example failed")
        #expect(answer["Retry-After"] == "60")
        #expect(answer.json["retry_at"]?.word == time.description)
    }

    @Test("what the source cannot do, or another program did to the storage, is not the client's mistake")
    func unsupported() async throws {
        let fixture = try await APIFixture()
        let errors = [
            (PatchbayError(.unsupported, "it failed", [.status(501)]), 502),
            (PatchbayError(.unsupported, "it failed"), 400),
            (PatchbayError(.unsupported, "another process has changed the schema", [.file("/s")]), 500),
            (StoragePlace.removed("/s"), 500),
        ]
        for (error, status) in errors {
            fixture.feed.answers.fail(with: error)
            #expect(await fixture.get("/-/resources/people").status == status)
        }
    }

    @Test(
        "a refusal of the source concerns the row",
        arguments: [
            (Refusal.Kind.blocked, 451), (.forbidden, 403), (.removed, 410), (.missing, 404),
        ])
    func refusal(_ kind: Refusal.Kind, _ status: Int) async throws {
        let fixture = try await APIFixture()
        fixture.feed.answers.fail(
            with: PatchbayError(.permissionDenied, "not shown", cause: Refusal(kind)))
        #expect(await fixture.get("/-/resources/people/user-1").status == status)
    }

    @Test("a gateway with a closed source answers with stored rows")
    func closed() async throws {
        let storage = MemoryStorage()
        _ = try await APIFixture(storage: storage, fetching: "people")
        let closed = try await APIFixture(storage: storage) { source in
            source.isClosed = true
            source.candidates = [SourceResources(word: "test", ScriptedFeed.declarations)]
        }
        #expect(await closed.get("/-/resources/people?limit=5").ids == [1, 2, 3, 4, 5])
        #expect(await closed.get("/-/resources/people/user-3").json["login"]?.word == "user-3")
        #expect(await closed.get("/-/resources/people/user-99").status == 404)
    }

    @Test("JSON Lines state at their start only what is known of the list")
    func completeness() async throws {
        let fixture = try await APIFixture(projects: 1...45), accept = ["Accept": "application/jsonl"]
        let path = "/-/resources/projects?of=octocat"
        #expect(
            await fixture.get(path, accept)["Patchbay-Answer"]
                == "state=local-only, complete=?0, reason=\"this list was never fetched\"")
        let fetched = await fixture.get(path + "&policy=remote-first", accept)
        #expect(fetched.ids == Array(1...45))
        #expect(fetched["Patchbay-Answer"]?.hasPrefix("state=fresh, source=") == true)
        let stored = await fixture.get(path, accept)
        #expect(stored["Patchbay-Answer"] == "state=local-only, complete=?1")
        _ = await fixture.get("/-/resources/people?limit=20")
        let part = await fixture.get("/-/resources/people", accept)
        #expect(part.ids == Array(1...20))
        #expect(
            part["Patchbay-Answer"] == "state=local-only, complete=?0, reason=\"the rest was not fetched\"")
    }

    @Test("JSON Lines of a list come from the storage, or from the source if the policy queries it")
    func lines() async throws {
        let fixture = try await APIFixture()
        let accept = ["Accept": "application/x-ndjson"]
        #expect(await fixture.get("/-/resources/people", accept).lines.isEmpty)
        #expect(fixture.feed.requests.isEmpty)
        let all = await fixture.get("/-/resources/people?policy=remote-first", accept)
        #expect(all.isStream)
        #expect(all.ids == Array(1...50))
        #expect(all["ETag"] == nil)
        #expect(await fixture.get("/-/resources/people", accept).ids == Array(1...50))
        #expect(all["Patchbay-Answer"]?.hasPrefix("state=fresh, source=") == true, "the list continues")
        #expect(
            await fixture.get("/-/resources/people", accept)["Patchbay-Answer"]
                == "state=local-only, complete=?1")
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(await fixture.get("/-/resources/projects?of=nobody&policy=refresh", accept).status == 503)
    }
}

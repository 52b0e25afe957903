import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Entity tags")
struct TagTests {
    @Test(
        "a tag of the current revision is answered with 304 without reading a row",
        arguments: [
            "people?by=by_login&limit=7", "people?limit=20", "people/user-1?policy=local-only",
            "people?by=key",
        ])
    func notModified(_ path: String) async throws {
        let storage = CountingStorage()
        let fixture = try await APIFixture(storage: storage) { $0.isClosed = true }
        _ = try await APIFixture(storage: storage, fetching: "people")
        let isLines = path == "people?by=key"
        let accept = isLines ? ["Accept": "application/jsonl"] : [:]
        let answer = await fixture.get("/-/resources/" + path, accept)
        #expect(answer.status == 200)
        #expect(answer.tag.hasPrefix(isLines ? "W/\"" : "\""))
        let reads = storage.reads
        let again = await fixture.get(
            "/-/resources/" + path, accept.merging(["If-None-Match": "\"x\", " + answer.tag]) { $1 })
        #expect(again.status == 304)
        #expect(again.tag == answer.tag)
        #expect(again.bytes.isEmpty)
        #expect(again["Content-Type"] == nil)
        #expect(storage.reads == reads)
    }

    @Test("a commit that changes the answer invalidates its tag")
    func changed() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let path = "/-/resources/people?by=key&limit=5"
        let tag = await fixture.get(path).tag
        try await fixture.edit("user-2", name: "Zoe")
        let answer = await fixture.get(path, ["If-None-Match": tag])
        #expect(answer.status == 200)
        #expect(answer.rows[1]["name_override"]?.word == "Zoe")
        #expect(answer.tag != tag)
    }

    @Test("a tag covers what is added to a row; a change of the row does not depend on it")
    func notes() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let path = "/-/resources/people/user-3?fields=login,is_favourite,name&policy=local-only"
        let before = await fixture.get(path)
        #expect(await fixture.send(.put, "/-/resources/people/user-3/favourite").status == 204)
        let after = await fixture.get(path, ["If-None-Match": before.tag])
        #expect(after.status == 200 && after.text.contains(#""is_favourite":true"#))
        let edited = await fixture.send(
            .patch, "/-/resources/people/user-3",
            ["If-Match": before.tag, "Content-Type": "application/json"], #"{"name": "Zoe"}"#)
        #expect(edited.status == 200)
    }

    @Test("a tag stays valid after a commit that changes something else")
    func unrelated() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let path = "/-/resources/people?by=key&limit=5"
        let tag = await fixture.get(path).tag
        try await fixture.edit("user-40", name: "Zoe")
        let answer = await fixture.get(path, ["If-None-Match": tag])
        #expect(answer.status == 304)
        #expect(answer.tag != tag, "the new tag has the current revision")
    }

    @Test("a tag belongs to one question in one form")
    func questions() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let tag = await fixture.get("/-/resources/people?by=key&limit=5").tag
        let condition = ["If-None-Match": tag]
        #expect(await fixture.get("/-/resources/people?by=key&limit=6", condition).status == 200)
        #expect(await fixture.get("/-/resources/people?limit=5", condition).status == 200)
        let lines = condition.merging(["Accept": "application/jsonl"]) { $1 }
        #expect(await fixture.get("/-/resources/people?by=key&limit=5", lines).status == 200)
        for junk in [
            "", "\"", "W/", "\"----\"", "\"a-b-c-d\"", "x", "\"\(String(repeating: "z", count: 999))\"",
        ] {
            #expect(
                await fixture.get("/-/resources/people?by=key&limit=5", ["If-None-Match": junk]).status == 200
            )
        }
        #expect(await fixture.get("/-/resources/people?by=key&limit=5", ["If-None-Match": "*"]).status == 304)
    }

    @Test("revisions are not valid after a restart of the server")
    func restart() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let path = "/-/resources/people?by=key&limit=5"
        let tag = await fixture.get(path).tag
        let other = try await APIFixture(people: 101...150, fetching: "people")
        #expect(await other.get(path, ["If-None-Match": tag]).status == 200)
    }

    @Test("a 304 for a tag of local-first still refreshes in the background")
    func asksBehind() async throws {
        let fixture = try await APIFixture()
        let path = "/-/resources/people?limit=20"
        _ = await fixture.get(path)
        let stored = await fixture.get(path)
        await fixture.api.api.refreshes.settle()
        let tag = await fixture.get(path).tag
        fixture.clock.advance(by: API.refreshIntervalMin)
        let count = fixture.feed.requests.count
        #expect(stored.status == 200)
        #expect(await fixture.get(path, ["If-None-Match": tag]).status == 304)
        await fixture.api.api.refreshes.settle()
        #expect(fixture.feed.requests.count == count + 1)
    }

    @Test("tags are parsed as they are written")
    func text() throws {
        let tag = AnswerTag(store: "abc0", revision: 77, question: 5, content: .max)
        let list = TagList(" W/\(tag.text) , \"other\"")
        #expect(list.tags.map(\.tag) == [tag])
        #expect(list.tags.map(\.isWeak) == [true])
        let open = AnswerTag(store: "abc0", revision: nil, question: 5)
        #expect(open.text == "W/\"abc0--5-\"")
        #expect(TagList(open.text).tags.map(\.tag) == [open])
        #expect(TagList("*").isAny)
    }
}

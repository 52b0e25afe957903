import PatchbayCore
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Changes over HTTP")
struct ChangesTests {
    private func ids(_ answer: TestAnswer) -> [Int64] {
        (answer.json["changes"]?.elements ?? []).compactMap { $0["row"]?["id"]?.word.flatMap { Int64($0) } }
    }

    @Test("a client reads all rows in pages, then only what changes")
    func pages() async throws {
        let fixture = try await APIFixture(fetching: "people")
        var position = "", read: [Int64] = [], more = true
        while more {
            let since = position.isEmpty ? "" : "&since=\(position)"
            let answer = await fixture.get("/-/changes?limit=7" + since)
            #expect(answer.status == 200 && answer.json["restart"]?.word == nil)
            read += ids(answer)
            position = answer.json["position"]?.word ?? ""
            more = answer.text.contains("\"more\":true")
        }
        #expect(read.sorted() == Array(1...50))

        try await fixture.edit("user-3", name: "Zoe")
        let edited = await fixture.get("/-/changes?since=\(position)")
        let change = edited.json["changes"]?.elements.first
        #expect(change?["resource"]?.word == "people" && change?["kind"]?.word == "row")
        #expect(change?["row"]?["name_override"]?.word == "Zoe")
        position = edited.json["position"]?.word ?? ""

        try await fixture.gateway.clear(fixture.gateway.resource("people"))
        let cleared = await fixture.get("/-/changes?since=\(position)").json["changes"]?.elements ?? []
        #expect(cleared.map { $0["kind"]?.word } == ["cleared"])
        #expect(cleared.first?["at"]?.word == fixture.clock.now().description)
    }

    @Test("a position of another storage starts over, and the answer says so")
    func restart() async throws {
        let other = try await APIFixture(fetching: "people")
        let position = await other.get("/-/changes").json["position"]?.word ?? ""
        let fixture = try await APIFixture(fetching: "people")
        let answer = await fixture.get("/-/changes?since=\(position)")
        #expect(answer.json["restart"]?.word == "unknown-position" && ids(answer).count == 50)
    }

    @Test("a position starts over for resources that its reader did not read")
    func otherResources() async throws {
        let fixture = try await APIFixture()
        for (name, argument) in [("people", nil), ("projects", "octocat")] as [(String, String?)] {
            if let argument { try await fixture.fetch(name, argument) } else { try await fixture.fetch(name) }
        }
        let one = await fixture.get("/-/changes?of=people").json["position"]?.word ?? ""
        let both = await fixture.get("/-/changes?of=people,projects&since=\(one)")
        #expect(both.json["restart"]?.word == "other-resources" && !ids(both).isEmpty)
        let position = both.json["position"]?.word ?? ""
        for of in ["people,projects", "projects,people", "projects"] {
            let answer = await fixture.get("/-/changes?of=\(of)&since=\(position)")
            #expect(answer.json["restart"]?.word == nil && ids(answer).isEmpty, "\(of)")
        }
    }

    @Test(
        "wrong parameters are named",
        arguments: ["since=x", "since=", "since=00000000000000000000", "wait=0", "wait=61", "of=nothing"])
    func wrong(_ query: String) async throws {
        let answer = try await APIFixture().get("/-/changes?" + query)
        #expect([400, 404].contains(answer.status))
        #expect(answer.parameter == query.split(separator: "=").first.map(String.init))
    }

    @Test("a client that waits is answered by a change of the resources that it named")
    func waits() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let position = await fixture.get("/-/changes?of=people").json["position"]?.word ?? ""
        async let answer = fixture.get("/-/changes?of=people&wait=60&since=\(position)")
        while fixture.api.api.listeners.count == 0 { await Task.yield() }
        try await fixture.fetch("projects", "octocat")
        try await fixture.edit("user-3", name: "Zoe")
        let changed = ids(await answer)
        #expect(changed == [3])
        #expect(fixture.api.api.listeners.count == 0)
    }

    @Test("a wait ends with an empty answer after its time, and when the server stops")
    func waitEnds() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let position = await fixture.get("/-/changes").json["position"]?.word ?? ""
        let sleeps = fixture.clock.sleeps.count
        async let ended = fixture.get("/-/changes?wait=5&since=\(position)")
        await fixture.clock.hasBegun(sleeps: sleeps + 1)
        fixture.clock.advance(by: .seconds(5))
        let late = await ended
        #expect(late.status == 200 && ids(late).isEmpty && late.json["position"]?.word == position)
        async let stopped = fixture.get("/-/changes?wait=60&since=\(position)")
        await fixture.api.api.stop()
        let status = await stopped.status
        #expect([200, 503].contains(status))
    }
}

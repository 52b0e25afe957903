import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("What a client may not see does not exist for it")
struct ClientRightsTests {
    private static let hidden = ["bio", "score", "name", "followers"]

    private static var probes: [Probe] {
        hidden.flatMap(Probe.ofField) + Probe.ofResource("changes") + Probe.ofResource("people")
            + Probe.ofEverything
    }

    @Test("two worlds that differ only in what is hidden answer every probe with the same bytes")
    func twins() async throws {
        let world = try await World(isTwin: false), twin = try await World(isTwin: true)
        var count = 0, answered = 0
        for probe in Self.probes {
            let answer = await world.everything(probe, as: "agent")
            let other = await twin.everything(probe, as: "agent")
            #expect(answer == other, "\(probe)")
            for canary in World.canaries where !probe.description.contains(canary.prefix(4)) {
                #expect(!answer.contains(canary) && !other.contains(canary), "\(probe)")
            }
            count += 1
            if answer.hasPrefix("200") { answered += 1 }
        }
        #expect(count >= 200 && answered >= 50, "\(count) probes, \(answered) answered")
        // The worlds differ: the owner sees it.
        for probe in ["/-/resources/people?by=by_score", "/-/changes", "/-/find?q=obelisk", "/-/favourites"] {
            let answer = await world.send(Probe(probe), as: "owner")
            #expect(answer.status == 200)
            #expect(answer.text != (await twin.send(Probe(probe), as: "owner")).text, "\(probe)")
        }
    }

    @Test("a client without the owner's rights sees no trace of edits, favourites and searches")
    func edits() async throws {
        let world = try await World(isTwin: false), before = try await World(isTwin: false)
        let people = try world.fixture.gateway.resource("people")
        try await world.fixture.edit("user-3", name: "marzipan")
        try await world.fixture.gateway.addFavourite(people, "user-4")
        _ = await world.fixture.gateway.search(people, "obelisk", page: 1, limit: 9, policy: .localOnly)
            .ending
        for probe in Self.probes where !probe.path.contains("/changes") && !probe.body.contains(#""changes""#)
        {
            if probe.path.hasSuffix("/metrics") || probe.body.contains("_changed") { continue }
            let answer = await world.everything(probe, as: "reader")
            #expect(answer == (await before.everything(probe, as: "reader")), "\(probe)")
        }
        let own = await world.send(Probe("/-/resources/people/user-3"), as: "assistant")
        #expect(own.text.contains("marzipan"))
    }

    @Test("a hidden name is answered like one that does not exist")
    func absent() async throws {
        let world = try await World(isTwin: false)
        for (hidden, absent) in [("bio", "xqj"), ("score", "xqjvw"), ("followers", "xqjvwkzpy")] {
            for (probe, other) in zip(Probe.ofField(hidden), Probe.ofField(absent)) {
                let answer = await world.everything(probe, as: "agent")
                let expected = await world.everything(other, as: "agent").replacing(absent, with: hidden)
                #expect(answer == expected, "\(probe)")
            }
        }
        for (probe, other) in zip(Probe.ofResource("changes"), Probe.ofResource("xqjvwky")) {
            let answer = await world.everything(probe, as: "agent").replacing("q=change", with: "q=")
            let expected = await world.everything(other, as: "agent").replacing("q=change", with: "q=")
            #expect(answer == expected.replacing("xqjvwky", with: "changes"), "\(probe)")
        }
    }

    @Test("tokens, tags and positions of the owner are worth nothing")
    func foreignTokens() async throws {
        let world = try await World(isTwin: false)
        let walk = await world.send(Probe("/-/resources/people?by=by_score&limit=2"), as: "owner")
        let token = try #require(walk.next?.split(separator: "after=").last)
        for path in [
            "/-/resources/people?by=by_score&limit=2&after=", "/-/resources/people?by=by_city&after=",
        ] {
            let answer = await world.send(Probe(path + token), as: "agent")
            #expect([400, 404].contains(answer.status), "\(answer.text)")
        }
        let shown = await world.send(Probe("/-/resources/people/user-3"), as: "owner")
        let again = await world.send(
            Probe("/-/resources/people/user-3", .get, ["If-None-Match": shown.tag]), as: "agent")
        #expect(again.status == 200 && again.tag != shown.tag)
        let own = await world.send(
            Probe("/-/resources/people/user-3", .get, ["If-None-Match": again.tag]), as: "agent")
        #expect(own.status == 304)
        let position = await world.send(Probe("/-/changes"), as: "owner").json["position"]?.word ?? ""
        #expect(await world.send(Probe("/-/changes?since=\(position)"), as: "agent").status == 404)
    }

    @Test("a tag and a position change with visible values, and only with them")
    func changes() async throws {
        let world = try await World(isTwin: false), path = Probe("/-/resources/people/user-3")
        func sync(_ body: @escaping (inout ScriptedFeed.Row) -> Void) async throws {
            world.fixture.feed.change("people") { body(&$0[2]) }
            _ = await (try world.fixture.gateway.sync("people", from: .theBeginning)).run()
        }
        let tag = await world.send(path, as: "agent").tag
        let position = await world.send(Probe("/-/changes"), as: "agent").json["position"]?.word ?? ""
        try await sync { $0["score"] = .integer(999) }
        #expect(await world.send(path, as: "agent").tag == tag)
        let news = await world.send(Probe("/-/changes?since=\(position)"), as: "agent")
        #expect(news.json["position"]?.word == position && news.json["changes"]?.elements.isEmpty == true)
        try await sync { $0["city"] = .text("Elsewhere") }
        #expect(await world.send(path, as: "agent").tag != tag)
        world.fixture.feed.change("projects") { $0[0]["is_private"] = .boolean(true) }
        try await world.fixture.fetch("projects", "octocat")
        let more = await world.send(Probe("/-/changes?since=\(position)"), as: "agent")
        #expect(
            more.json["changes"]?.elements.compactMap { $0["resource"]?.word } == ["projects"], "\(more.text)"
        )
        let last = more.json["position"]?.word ?? ""
        let none = await world.send(Probe("/-/changes?since=\(last)"), as: "agent")
        #expect(none.json["changes"]?.elements.isEmpty == true && none.json["position"]?.word == last)
    }

    @Test("a client sees and does what it was granted")
    func granted() async throws {
        let world = try await World(isTwin: false)
        let rows = await world.send(Probe("/-/resources/people?by=by_city&limit=5"), as: "agent")
        #expect(rows.status == 200 && rows.ids.count == 5, "\(rows.text)")
        #expect(rows.rows.first?.members.map(\.name).contains("city") == true)
        #expect(rows.rows.first?["bio"] == nil && rows.rows.first?["name"] == nil)
        let found = await world.send(Probe("/-/find?q=%22user%203%22"), as: "agent")
        #expect(found.json["rows"]?.elements.count == 1, "\(found.text)")
        let ranked = await world.send(Probe(sql: "SELECT key FROM find('\"user 3\"')"), as: "agent")
        #expect(ranked.json["rows"]?.elements.count == 1, "\(ranked.text)")
        let names = await world.send(Probe("/-/resources"), as: "agent").rows.compactMap { $0["name"]?.word }
        #expect(names == ["people", "projects"])
        for probe in [
            Probe("/-/resources/people/user-3?policy=refresh"), Probe("/-/changes?of=people"),
            Probe("/-/events?of=people"), Probe("/users"),
        ] {
            #expect(await world.send(probe, as: "agent").status == 403, "\(probe)")
        }
        let synced = await world.send(Probe("/-/resources/projects/sync?of=octocat", .post), as: "agent")
        #expect(synced.status == 202, "\(synced.text)")
        await world.fixture.api.api.syncs.settle()
        let syncs = await world.send(Probe("/-/syncs"), as: "agent")
        #expect(syncs.rows.compactMap { $0["resource"]?.word } == ["projects"])
        let own = await world.send(Probe("/-/resources/people/user-3"), as: "assistant")
        let edit = Probe("/-/resources/people/user-3", .patch, ["If-Match": own.tag], #"{"name":"Mine"}"#)
        #expect(await world.send(edit, as: "assistant").status == 200)
        #expect(await world.send(edit, as: "reader").status == 405)
        #expect(
            await world.send(Probe("/-/resources/people/user-3/favourite", .put), as: "assistant").status
                == 204)
        #expect(await world.send(Probe("/-/resources"), as: "nobody").status == 401)
    }
}

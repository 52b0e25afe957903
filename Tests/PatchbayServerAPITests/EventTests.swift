import HTTPTypes
@testable import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Server-sent events")
struct EventTests {
    @Test("the first event has the current revision, and a commit sends the next one")
    func commits() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let listener = await TestListener(fixture, "/-/events?of=people")
        let first = await listener.event { $0.name == "changed" }
        #expect(first.data["resources"]?.elements.isEmpty == true)
        try await fixture.edit("user-1", name: "Zoe")
        let second = await listener.event { $0.id != first.id }
        #expect(second.data["resources"]?.elements.compactMap(\.word) == ["people"])
        #expect(second.id == (await fixture.present()))
        await listener.leave()
    }

    @Test("a listener receives events of the requested resources and of favourites")
    func chosen() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let listener = await TestListener(fixture, "/-/events?of=projects")
        _ = await listener.event { _ in true }
        try await fixture.edit("user-1", name: "Zoe")
        try await fixture.gateway.addFavourite(fixture.gateway.resource("people"), "user-1")
        let favourite = await listener.event { $0.data["favourites"]?.isTrue == true }
        #expect(favourite.data["resources"]?.elements.isEmpty == true)
        try await fixture.fetch("projects", "octocat")
        let projects = await listener.event { !($0.data["resources"]?.elements.isEmpty ?? true) }
        #expect(projects.data["resources"]?.elements.compactMap(\.word) == ["projects"])
        await listener.leave()
    }

    @Test(
        "after commits of unknown content, a listener receives events only of what has changed",
        .timeLimit(.minutes(1)))
    func unspecific() async throws {
        let storage = CountingStorage()
        let fixture = try await APIFixture(storage: storage, fetching: "people")
        let store = fixture.gateway.store, everything = Set(store.schema.collections.map(\.name))
        let listener = await TestListener(fixture, "/-/events?of=people,projects")
        _ = await listener.event { _ in true }
        store.changes.send(everything)
        let other = try await fixture.otherGateway()
        try await other.edit(other.resource("people"), "user-1", "name", to: "Zoe")
        // A commit of this process may be reported before that one.
        let reads = storage.reads
        store.changes.send(["served_use"])
        while storage.reads == reads { try await Task.sleep(for: .milliseconds(5)) }
        store.changes.send(everything)
        let people = await listener.event { $0.data["resources"]?.elements.isEmpty == false }
        #expect(people.data["resources"]?.elements.compactMap(\.word) == ["people"])
        #expect(people.data["favourites"]?.isTrue == false)
        try await other.addFavourite(other.resource("people"), "user-1")
        store.changes.send(everything)
        let favourite = await listener.event { $0.data["favourites"]?.isTrue == true }
        #expect(favourite.data["resources"]?.elements.isEmpty == true)
        await listener.leave()
    }

    @Test("one client gets a part of the event streams, and what it closes is free again")
    func shares() {
        let listeners = Listeners()
        let numbers = ServingClient.$current.withValue(.named("a")) {
            (1...Listeners.countMax).compactMap { _ in listeners.add {} }
        }
        #expect(numbers.count == 750)
        ServingClient.$current.withValue(.named("a")) {
            #expect(listeners.isFull)
            listeners.remove(numbers[0])
            #expect(!listeners.isFull)
        }
        #expect(listeners.add {} != nil && !listeners.isFull)
    }

    @Test("200 listeners reach the last of 1,000 revisions in bounded memory")
    func many() async throws {
        let fixture = try await APIFixture(people: 1...2, fetching: "people")
        var listeners: [TestListener] = []
        for _ in 0..<200 { listeners.append(await TestListener(fixture, "/-/events?of=people")) }
        for listener in listeners { _ = await listener.event { _ in true } }
        for number in 1...1_000 { try await fixture.edit("user-1", name: "Zoe \(number)") }
        let last = await fixture.present()
        for listener in listeners {
            _ = await listener.event { $0.id == last }
            await listener.leave()
        }
        #expect(fixture.api.api.listeners.count == 0)
    }

    @Test("a slow client gets fewer events, but the last revision")
    func slow() async throws {
        let fixture = try await APIFixture(people: 1...2, fetching: "people")
        let listener = await TestListener(fixture, "/-/events", isSlow: true)
        for number in 1...100 { try await fixture.edit("user-1", name: "Zoe \(number)") }
        let last = await fixture.present()
        await listener.read()
        _ = await listener.event { $0.id == last }
        #expect(await listener.eventCount <= 3)
        await listener.leave()
    }

    @Test("after a reconnect the first event names everything the client listens to")
    func reconnect() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let old = await fixture.present()
        try await fixture.edit("user-1", name: "Zoe")
        for id in [old, await fixture.present(), "of another process"] {
            let listener = await TestListener(fixture, "/-/events?of=people,projects", ["Last-Event-ID": id])
            let event = await listener.event { _ in true }
            #expect(event.data["resources"]?.elements.compactMap(\.word) == ["people", "projects"])
            #expect(event.id == (await fixture.present()))
            await listener.leave()
        }
    }

    @Test("a comment is sent after a silence")
    func silence() async throws {
        let fixture = try await APIFixture()
        let listener = await TestListener(fixture, "/-/events")
        _ = await listener.event { _ in true }
        await fixture.clock.hasBegun(sleeps: 1)
        fixture.clock.advance(by: EventStream.silenceMax)
        await listener.text { $0.contains(": nothing has changed\n\n") }
        await listener.leave()
    }

    @Test("events report the progress of syncs and finally their end")
    func syncs() async throws {
        let fixture = try await APIFixture()
        let listener = await TestListener(fixture, "/-/events?of=people")
        _ = await listener.event { _ in true }
        _ = await fixture.send(.post, "/-/resources/people/sync")
        let end = await listener.event { $0.name == "sync" && $0.data["state"]?.word == "complete" }
        #expect(end.data["rows"]?.word == "50")
        #expect(end.data["address"]?.word == "/-/syncs/1")
        await listener.leave()
    }

    @Test("streams end when the server stops, and no new one starts")
    func stop() async throws {
        let fixture = try await APIFixture()
        let listener = await TestListener(fixture, "/-/events")
        _ = await listener.event { _ in true }
        await fixture.api.stop()
        await listener.ended()
        #expect(await fixture.get("/-/events").status == 503)
    }

    @Test("an unknown resource is 404, and a form other than events is 406")
    func wrong() async throws {
        let fixture = try await APIFixture()
        #expect(await fixture.get("/-/events?of=people,cars").status == 404)
        #expect(await fixture.get("/-/events", ["Accept": "application/json"]).status == 406)
    }
}

extension JSONValue {
    fileprivate var isTrue: Bool { if case .bool(true) = self { true } else { false } }
}

extension APIFixture {
    /// Returns the id of an event of the current revision.
    func present() async -> String {
        // An open memory storage always has a revision.
        let revision = (try? await storage.revision()) ?? 0
        return api.api.gateways.stores[0].id + "-" + String(revision, radix: 36)
    }
}

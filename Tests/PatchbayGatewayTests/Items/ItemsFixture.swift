import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

/// A gateway over a memory storage, with a feed of people and a clock that the test advances.
struct ItemsFixture {
    let feed: PeopleFeed
    let clock = ManualClock()
    let gateway: Gateway
    let people: Resource

    init(
        _ people: [Person] = Person.all(1...50), in storage: any Storage = RepeatingStorage(MemoryStorage()),
        _ change: (inout Source) -> Void = { _ in }
    ) async throws {
        feed = PeopleFeed(people)
        var source = Source(name: "scripted")
        source.word = "test"
        source.resources = [Person.declaration, Person.notes]
        source.feed = feed
        source.pictures = feed
        change(&source)
        gateway = try await Gateway(storage: storage, source: source, now: clock.now)
        self.people = try gateway.resource("people")
    }

    /// Another gateway over the same storage and clock, whose feed runs a closure before each answer is returned.
    func interrupted(_ meanwhile: @escaping @Sendable () async throws -> Void) async throws -> Gateway {
        let feed = PeopleFeed(Person.all(1...50))
        feed.interrupt(meanwhile)
        var source = gateway.source
        source.feed = feed
        return try await Gateway(storage: gateway.store.storage, source: source, now: clock.now)
    }

    func show(_ handle: String, _ policy: Policy = .localFirst) async -> [Answer<Item>] {
        await gateway.show(people, handle, policy: policy).all
    }

    func edit(_ handle: String, _ name: String) async throws {
        try await gateway.edit(people, handle, "name", to: name)
    }

    /// Saves people as a list does, without details.
    func list(_ ids: some Sequence<Int64> & Sendable, _ handles: [Int64: String] = [:]) async throws {
        let items = try ids.map { id in
            let person = ListedPerson(id: id, handle: handles[id] ?? "person-\(id)", picture: nil)
            return try Item(encoding: person, of: people)
        }
        let (resource, time) = (people, clock.now())
        _ = try await gateway.store.write { try $0.save(items, of: resource, at: time, from: nil) }
    }

    func stored(_ id: Int64) async throws -> Item? {
        let people = people
        return try await gateway.store.read { try $0.item(.integer(id), of: people) }
    }

    /// All stored people.
    func stored() async throws -> [Item] {
        let people = people
        return try await gateway.store.read { try $0.items(Query(people.collection), of: people) }
    }

    func count(_ collection: CollectionSchema) async throws -> Int {
        try await gateway.store.read { try $0.count(Query(collection)) }
    }
}

extension Item {
    /// The shown name.
    var name: String? { resource.field(named: "name").flatMap { shown($0) }?.description }
}

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayGateway

@Suite("Watching rows", .timeLimit(.minutes(5)))
struct WatchItemsTests {
    private struct Refused: Error {}

    private func words(_ changes: [ItemChange]?) -> [String] {
        changes?.map { change in
            switch change {
            case .inserted(let item): "+\(item.id)"
            case .updated(let item): "=\(item.id)"
            case .deleted(let item): "-\(item.id)"
            }
        } ?? []
    }

    @Test("existing rows come first, then one set of changes per commit, limited to the watched stretch")
    func changes() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        var changes = try fixture.gateway.watchPeople(limit: 4).makeAsyncIterator()
        #expect(words(try await changes.next()) == [])
        _ = try await fixture.list()
        #expect(words(try await changes.next()) == ["+1", "+2", "+3"])
        try await fixture.gateway.edit("user-2", name: "Mine")
        #expect(words(try await changes.next()) == ["=2"])
        fixture.feed.change("people") { people in
            people.removeAll { $0.id == 1 }
            people += ScriptedFeed.people(4...9)
        }
        _ = try await fixture.list()
        #expect(words(try await changes.next()) == ["-1", "+4", "+5"])
        try await fixture.gateway.clearPeople()
        #expect(words(try await changes.next()) == ["-2", "-3", "-4", "-5"])
        try await fixture.gateway.close()
        #expect(try await changes.next() == nil)
    }

    @Test("a row pushed out of the stretch by a new one is reported as deleted")
    func pushedOut() async throws {
        let fixture = try await ResourceFixture(people: 2...6)
        _ = try await fixture.list()
        var changes = try fixture.gateway.watchPeople(after: 1, limit: 2).makeAsyncIterator()
        #expect(words(try await changes.next()) == ["+2", "+3"])
        fixture.feed.change("people") { $0.removeAll { $0.id == 2 } }
        _ = try await fixture.list()
        #expect(words(try await changes.next()) == ["-2", "+4"])
    }

    @Test("a rolled-back write, an edit without effect and a confirmation are not reported")
    func untold() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        _ = try await fixture.list()
        var changes = try fixture.gateway.watchPeople().makeAsyncIterator()
        _ = try await changes.next()
        let people = try fixture.gateway.resource("people").collection
        await #expect(throws: Refused.self) {
            try await fixture.gateway.store.write { writing in
                try writing.deleteAll(in: people)
                throw Refused()
            }
        }
        try await fixture.gateway.edit("user-1", name: "Mine")
        try await fixture.gateway.edit("user-1", name: "Mine")
        #expect(words(try await changes.next()) == ["=1"])
        #expect(try await fixture.list().last?.outcome.word == "unchanged")
        try await fixture.gateway.edit("user-2", name: "Mine")
        #expect(words(try await changes.next()) == ["=2"])
    }

    @Test("a slow observer receives one set with all changes")
    func slow() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        _ = try await fixture.list()
        var changes = try fixture.gateway.watchPeople().makeAsyncIterator()
        _ = try await changes.next()
        for number in 0..<1_000 { try await fixture.gateway.edit("user-1", name: "Mine \(number)") }
        try await fixture.gateway.edit("user-2", name: "Mine")
        try await fixture.gateway.edit("user-2", name: nil)
        let set = try await changes.next()
        #expect(words(set) == ["=1"])
        #expect(set?.first?.item.name == "Mine 999")
    }

    @Test("closing the store ends the sequence, also while a change is being read")
    func closed() async throws {
        let storage = InterruptedStorage()
        let fixture = try await ResourceFixture(people: 1...3, storage: storage)
        var changes = try fixture.gateway.watchPeople().makeAsyncIterator()
        _ = try await changes.next()
        _ = try await fixture.list()
        storage.beforeNextRead { try await fixture.gateway.close() }
        #expect(try await changes.next() == nil)
    }

    @Test("a sequence that begins after the store was closed is empty")
    func closedBefore() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        try await fixture.gateway.close()
        var changes = try fixture.gateway.watchPeople().makeAsyncIterator()
        #expect(try await changes.next() == nil)
    }

    @Test("cancelling an observer ends its sequence")
    func cancelled() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let changes = try fixture.gateway.watchPeople()
        let task = Task {
            for try await _ in changes { look.yield() }
        }
        for await _ in looks { break }
        task.cancel()
        try await task.value
    }

    @Test("applying the differences of random lists turns one into the other")
    func differences() async throws {
        let people = try await ResourceFixture().gateway.resource("people")
        var random = SeededGenerator.fromEnvironment()
        let seed = random.seed
        for _ in 0..<500 {
            let (old, new) = (try list(of: people, &random), try list(of: people, &random))
            var applied = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
            for change in ItemChange.between(old, and: new) {
                switch change {
                case .inserted(let item):
                    #expect(applied.updateValue(item, forKey: item.id) == nil, "seed \(seed)")
                case .updated(let item):
                    #expect(applied.updateValue(item, forKey: item.id) != item, "seed \(seed)")
                case .deleted(let item):
                    #expect(applied.removeValue(forKey: item.id) == item, "seed \(seed)")
                }
            }
            #expect(applied.values.sorted { $0.id < $1.id } == new, "seed \(seed)")
        }
    }

    private func list(of people: Resource, _ random: inout SeededGenerator) throws -> [Item] {
        try ScriptedFeed.people(1...12).compactMap { row in
            let item = try ScriptedFeed.item(row, of: people, withDetails: true)
            var packing = ItemPacking(item, over: nil, state: ItemState())
            if Bool.random(using: &random) { packing.edits = ["name": "Mine"] }
            var builder = RowBuilder()
            packing.write(to: &builder)
            let edited = Item(try builder.finish(), of: people)
            return Int.random(in: 0..<3, using: &random) > 0 ? edited : nil
        }
    }
}

/// A memory storage that runs a closure before its next read.
private final class InterruptedStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    private let closure = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func beforeNextRead(_ closure: @escaping @Sendable () async throws -> Void) {
        self.closure.withLock { $0 = closure }
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await closure.withLock { $0.take() }?()
        return try await inner.read(body)
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

/// The guarantees of answers over every storage: their order, one ending, and no cleared row reappears.
@Suite("Local first over every storage", .timeLimit(.minutes(5)))
struct LocalFirstTests {
    private struct Refused: Error {}

    private let folder: StorageFolder
    private let clock = ManualClock()

    init() throws { folder = try StorageFolder() }

    private func feed() -> ScriptedFeed {
        ScriptedFeed(people: 1...20, projects: 1...5, changes: ScriptedFeed.changes(3, of: 1))
    }

    private func gateway(_ plugin: String, _ source: Source) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store"), source: source, clock: clock.layerClock)
    }

    @Test(
        "every policy returns the documented answers in every reading use case", arguments: StorageFolder.all)
    func order(_ plugin: String) async throws {
        let feed = feed()
        let gateway = try await gateway(plugin, feed.source())
        let unknown = PatchbayError(.offline, "no network")
        for reading in ReadUseCase.all {
            feed.answers.fail(with: unknown)
            #expect(
                try await reading.words(gateway, .localOnly) == ["local only, nothing"], "\(reading.name)")
            #expect(
                try await reading.words(gateway, .localFirst) == ["failed: offline, nothing"],
                "\(reading.name)")
            feed.answers.fail(with: nil)
            #expect(try await reading.words(gateway, .localFirst) == ["fresh"], "\(reading.name)")
            #expect(
                try await reading.words(gateway, .localFirst) == ["stored", "unchanged"], "\(reading.name)")
            #expect(try await reading.words(gateway, .remoteFirst) == ["unchanged"], "\(reading.name)")
            #expect(try await reading.words(gateway, .refresh) == ["fresh"], "\(reading.name)")
            #expect(try await reading.words(gateway, .localOnly) == ["local only"], "\(reading.name)")
            feed.answers.fail(with: unknown)
            #expect(
                try await reading.words(gateway, .localFirst) == ["stored", "failed: offline"],
                "\(reading.name)")
            #expect(try await reading.words(gateway, .remoteFirst) == ["failed: offline"], "\(reading.name)")
        }
        try await gateway.close()
    }

    @Test("rows cleared during a fetch are not saved again", arguments: StorageFolder.all)
    func clearing(_ plugin: String) async throws {
        let feed = feed(), meddling = Meddling()
        let meddled = InterruptedFeed(feed, meanwhile: meddling.run)
        let gateway = try await gateway(plugin, feed.source(querying: meddled)), people = try gateway.people
        let clear: @Sendable () async throws -> Void = { try await gateway.clear(people) }
        for (isStored, policy) in [(false, Policy.localFirst), (true, .localFirst), (true, .refresh)] {
            if isStored { _ = try await gateway.listPeople().ending }
            meddling.set(clear)
            let list = try await gateway.listPeople(policy: policy).ending
            #expect(list.outcome.name == "failed: conflict")
            meddling.set(nil)
            if isStored { _ = try await gateway.showPerson("user-3").ending }
            meddling.set(clear)
            let shown = try await gateway.showPerson("user-3", policy: policy).ending
            #expect(shown.outcome.name == "failed: conflict")
            meddling.set(nil)
            let rows = try await gateway.store.read {
                try $0.count(Query(people.collection)) + $0.count(Query(StoredListStretch.collection))
            }
            #expect(rows == 0, "\(plugin), stored: \(isStored), \(policy)")
        }
        try await gateway.close()
    }

    @Test("a write that is rolled back sends no event; the next one sends one", arguments: StorageFolder.all)
    func rolledBack(_ plugin: String) async throws {
        let gateway = try await gateway(plugin, feed().source())
        let people = try gateway.people
        _ = try await gateway.listPeople().ending
        var changes = gateway.watch(people).makeAsyncIterator()
        #expect(try await changes.next()?.count == 20)
        await #expect(throws: Refused.self) {
            try await gateway.store.write { writing in
                try writing.deleteAll(in: people.collection)
                throw Refused()
            }
        }
        try await gateway.edit(people, "user-7", "name", to: "Mine")
        #expect(try await changes.next()?.map(\.item.shownName) == ["Mine"])
        try await gateway.close()
    }

    @Test(
        "answers are not computed ahead: the source is queried when the second answer is requested",
        arguments: StorageFolder.all)
    func slow(_ plugin: String) async throws {
        let feed = feed()
        let gateway = try await gateway(plugin, feed.source())
        _ = try await gateway.listPeople().ending
        var waiting = try (0..<100).map { _ in try gateway.listPeople().makeAsyncIterator() }
        for index in waiting.indices { #expect(await waiting[index].next()?.outcome.name == "stored") }
        #expect(feed.requests.count == 1)
        #expect(await waiting[0].next()?.outcome.isEnding == true)
        #expect(await waiting[0].next() == nil)
        #expect(feed.requests.count == 2)
        try await gateway.close()
    }
}

/// A reading use case with any type of value.
private struct ReadUseCase: Sendable {
    let name: String
    let words: @Sendable (Gateway, Policy) async throws -> [String]

    init<Value>(
        _ name: String, _ answers: @escaping @Sendable (Gateway, Policy) throws -> Answers<Value>
    ) {
        self.name = name
        words = { gateway, policy in
            var words: [String] = []
            for await answer in try answers(gateway, policy) {
                words.append(answer.outcome.name + (answer.value == nil ? ", nothing" : ""))
            }
            return words
        }
    }

    /// Each comes before those that would store part of its rows.
    static let all = [
        ReadUseCase("show a person") { try $0.showPerson("user-3", policy: $1) },
        ReadUseCase("list people") { try $0.listPeople(after: 3, limit: 10, policy: $1) },
        ReadUseCase("list changes") { try $0.list($0.changes(of: "octocat/p-1"), policy: $1) },
        ReadUseCase("show a project") { try $0.showProject("octocat/p-2", policy: $1) },
        ReadUseCase("list projects") { try $0.listProjects(policy: $1) },
    ]
}

/// What happens after each answer of a feed, if the test sets it.
private final class Meddling: Sendable {
    private let body = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func set(_ body: (@Sendable () async throws -> Void)?) { self.body.withLock { $0 = body } }

    @Sendable func run() async throws { try await body.withLock { $0 }?() }
}

extension Outcome {
    fileprivate var name: String {
        switch self {
        case .stored: "stored"
        case .localOnly: "local only"
        case .fresh: "fresh"
        case .unchanged: "unchanged"
        case .failed(let error): "failed: \(error.code)"
        }
    }
}

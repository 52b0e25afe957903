import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

/// What answers promise, over every storage: their order, one ending, and nothing that was cleared comes back.
@Suite("Local first over every storage", .timeLimit(.minutes(5)))
struct LocalFirstTests {
    private struct Refused: Error {}

    private let folder: StorageFolder
    private let clock = ManualClock()

    init() throws { folder = try StorageFolder() }

    private func script() -> ScriptedSource {
        ScriptedSource(
            users: ScriptedUserSource.users(1...20),
            repositories: ScriptedRepositorySource.repositories(1...5),
            commits: [1: ScriptedRepositorySource.commits(3)])
    }

    private func gateway(_ plugin: String, _ source: Source) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store"), source: source, clock: clock.layerClock)
    }

    @Test("what every policy says, of every use case that reads", arguments: StorageFolder.all)
    func order(_ plugin: String) async throws {
        let script = script()
        let gateway = try await gateway(plugin, script.source)
        let unknown = PatchbayError(.offline, "no network")
        for reading in ReadUseCase.all {
            script.fail(with: unknown)
            #expect(await reading.words(gateway, .localOnly) == ["local only, nothing"], "\(reading.name)")
            #expect(
                await reading.words(gateway, .localFirst) == ["failed: offline, nothing"], "\(reading.name)")
            script.fail(with: nil)
            #expect(await reading.words(gateway, .localFirst) == ["fresh"], "\(reading.name)")
            #expect(await reading.words(gateway, .localFirst) == ["stored", "unchanged"], "\(reading.name)")
            #expect(await reading.words(gateway, .remoteFirst) == ["unchanged"], "\(reading.name)")
            #expect(await reading.words(gateway, .refresh) == ["fresh"], "\(reading.name)")
            #expect(await reading.words(gateway, .localOnly) == ["local only"], "\(reading.name)")
            script.fail(with: unknown)
            #expect(
                await reading.words(gateway, .localFirst) == ["stored", "failed: offline"], "\(reading.name)")
            #expect(await reading.words(gateway, .remoteFirst) == ["failed: offline"], "\(reading.name)")
        }
        try await gateway.close()
    }

    @Test("a clear that races a fetch brings no row back", arguments: StorageFolder.all)
    func clearing(_ plugin: String) async throws {
        let script = script()
        let meddled = MeddledUserSource(script.users)
        let gateway = try await gateway(plugin, Source(name: "meddled", users: meddled))
        let clear: @Sendable () async throws -> Void = { try await gateway.clearUsers() }
        for (isStored, policy) in [(false, Policy.localFirst), (true, .localFirst), (true, .refresh)] {
            if isStored { _ = await gateway.listUsers().ending }
            meddled.meanwhile(clear)
            #expect(await gateway.listUsers(policy: policy).ending.outcome.name == "failed: conflict")
            meddled.meanwhile(nil)
            if isStored { _ = await gateway.showUser("user-3").ending }
            meddled.meanwhile(clear)
            #expect(
                await gateway.showUser("user-3", policy: policy).ending.outcome.name == "failed: conflict")
            meddled.meanwhile(nil)
            let rows = try await gateway.store.read {
                try $0.count(Query(StoredUser.collection)) + $0.count(Query(StoredUserPage.collection))
            }
            #expect(rows == 0, "\(plugin), stored: \(isStored), \(policy)")
        }
        try await gateway.close()
    }

    @Test("a write that is rolled back fires no event; the next one fires one", arguments: StorageFolder.all)
    func rolledBack(_ plugin: String) async throws {
        let gateway = try await gateway(plugin, script().source)
        _ = await gateway.listUsers().ending
        var changes = gateway.watchUsers().makeAsyncIterator()
        #expect(try await changes.next()?.count == 20)
        await #expect(throws: Refused.self) {
            try await gateway.store.write { writing in
                try writing.deleteAll(StoredUser.self)
                throw Refused()
            }
        }
        try await gateway.editUser("user-7", name: "Mine")
        #expect(try await changes.next()?.map(\.user.name) == ["Mine"])
        try await gateway.close()
    }

    @Test(
        "a slow observer holds nothing: the source is asked when the second answer is",
        arguments: StorageFolder.all)
    func slow(_ plugin: String) async throws {
        let script = script()
        let gateway = try await gateway(plugin, script.source)
        _ = await gateway.listUsers().ending
        var waiting = (0..<100).map { _ in gateway.listUsers().makeAsyncIterator() }
        for index in waiting.indices { #expect(await waiting[index].next()?.outcome.name == "stored") }
        #expect(script.requests.count == 1)
        #expect(await waiting[0].next()?.outcome.isEnding == true)
        #expect(await waiting[0].next() == nil)
        #expect(script.requests.count == 2)
        try await gateway.close()
    }
}

/// A use case that reads, whatever it reads.
private struct ReadUseCase: Sendable {
    let name: String
    let words: @Sendable (Gateway, Policy) async -> [String]

    init<Value>(_ name: String, _ answers: @escaping @Sendable (Gateway, Policy) -> Answers<Value>) {
        self.name = name
        words = { gateway, policy in
            var words: [String] = []
            for await answer in answers(gateway, policy) {
                words.append(answer.outcome.name + (answer.value == nil ? ", nothing" : ""))
            }
            return words
        }
    }

    private static let repository = RepositoryName.named(owner: "octocat", name: "r-1")

    /// Each before those that would store something of what it reads.
    static let all = [
        ReadUseCase("users show") { $0.showUser("user-3", policy: $1) },
        ReadUseCase("users list") { $0.listUsers(after: 3, limit: 10, policy: $1) },
        ReadUseCase("commits list") { $0.listCommits(repository, policy: $1) },
        ReadUseCase("repos show") {
            $0.showRepository(.named(owner: "octocat", name: "r-2"), policy: $1)
        },
        ReadUseCase("repos list") { $0.listRepositories(.ofUser("octocat"), policy: $1) },
    ]
}

/// A source during whose answers something else happens: after it has answered, before anybody hears it.
private final class MeddledUserSource: UserSource {
    private let source: ScriptedUserSource
    private let meddling = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ source: ScriptedUserSource) { self.source = source }

    func meanwhile(_ body: (@Sendable () async throws -> Void)?) { meddling.withLock { $0 = body } }

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let answer = try await source.users(page, ifChangedFrom: validator)
        try await meddling.withLock { $0 }?()
        return answer
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        let answer = try await source.user(login, ifChangedFrom: validator)
        try await meddling.withLock { $0 }?()
        return answer
    }
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

import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// A storage that syncs of several gateways share, as runs of a program share a file.
struct SyncFixture {
    let storage = MemoryStorage()
    let clock = ManualClock()
    let users: ScriptedUserSource
    let repositories: ScriptedRepositorySource

    init(
        users ids: ClosedRange<Int64> = 1...50, repositories: ClosedRange<Int64> = 1...50,
        commits: [Int64: [Commit]] = [:], pageSize: Int = 20
    ) {
        users = ScriptedUserSource(users: ScriptedUserSource.users(ids), pageSize: pageSize)
        self.repositories = ScriptedRepositorySource(
            ScriptedRepositorySource.repositories(repositories), commits: commits, pageSize: pageSize)
    }

    /// Another run of the program over the same storage.
    func gateway(identity: String = "scripted", budget: RequestBudget? = nil) async throws -> Gateway {
        var source = Source(name: identity, users: users)
        source.api = "scripted"
        source.repositories = repositories
        source.commits = repositories
        if let budget { source.budget = { budget } }
        return try await Gateway(storage: storage, source: source, now: clock.now)
    }

    func stored<R: StoredRecord>(_ type: R.Type) async throws -> [R] {
        try await gateway().store.read { try $0.list(R.self, Query(R.collection)) }
    }
}

extension SyncEnd {
    /// The end as a word, to compare.
    var word: String {
        switch self {
        case .complete: "complete"
        case .interrupted: "interrupted"
        case .limitReached: "limit reached"
        case .failed(let error): "failed: \(error.code)"
        }
    }
}

extension Sync {
    var all: [SyncEvent] {
        get async {
            var events: [SyncEvent] = []
            for await event in self { events.append(event) }
            return events
        }
    }
}

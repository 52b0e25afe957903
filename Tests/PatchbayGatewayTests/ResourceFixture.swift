import PatchbayCore
import PatchbayDomain
import PatchbayTestKit

@testable import PatchbayGateway

/// A storage shared by gateways over a scripted feed, as runs of a program share a file.
struct ResourceFixture: Sendable {
    let storage: any Storage
    let clock = ManualClock()
    let feed: ScriptedFeed
    /// The feed that the gateway queries: the scripted feed, or one that wraps it.
    let asked: any ResourceFeed
    let gateway: Gateway
    private let settings: SearchSettings
    private let change: @Sendable (inout Source) -> Void

    /// - Parameter change: changes the source of each gateway.
    init(
        people: ClosedRange<Int64> = 1...50, projects: ClosedRange<Int64> = 1...50,
        changes: [ScriptedFeed.Row] = [], pageSize: Int = 20, cap: Int = 30,
        storage: any Storage = RepeatingStorage(MemoryStorage()), identity: String = "scripted",
        settings: SearchSettings = SearchSettings(),
        around: (ScriptedFeed) -> any ResourceFeed = { $0 },
        changing change: @escaping @Sendable (inout Source) -> Void = { _ in }
    ) async throws {
        self.storage = storage
        self.settings = settings
        self.change = change
        feed = ScriptedFeed(
            people: people, projects: projects, changes: changes, pageSize: pageSize, cap: cap)
        asked = around(feed)
        gateway = try await Self.gateway(storage, asked, identity, nil, settings, change, clock)
    }

    /// Another run of the program over the same storage.
    func gateway(
        identity: String = "scripted", budget: RequestBudget? = nil,
        changing other: (inout Source) -> Void = { _ in }
    ) async throws -> Gateway {
        let changes = { (source: inout Source) in
            change(&source)
            other(&source)
        }
        return try await Self.gateway(storage, asked, identity, budget, settings, changes, clock)
    }

    /// Another run of the program, whose feed runs a closure before each answer is returned.
    func interrupted(_ meanwhile: @escaping @Sendable () async throws -> Void) async throws -> Gateway {
        let feed = InterruptedFeed(asked, meanwhile: meanwhile)
        return try await Self.gateway(storage, feed, "scripted", nil, settings, change, clock)
    }

    private static func gateway(
        _ storage: any Storage, _ feed: any ResourceFeed, _ identity: String, _ budget: RequestBudget?,
        _ settings: SearchSettings, _ change: (inout Source) -> Void, _ clock: ManualClock
    ) async throws -> Gateway {
        var source = Source(name: identity)
        source.word = "test"
        source.resources = ScriptedFeed.declarations
        source.feed = feed
        if let budget { source.budget = { budget } }
        change(&source)
        return try await Gateway(storage: storage, source: source, search: settings, now: clock.now)
    }

    var requests: [String] { feed.requests }

    func list(
        after value: Int64 = 0, limit: Int = 20, maximum: Int? = nil, _ policy: Policy = .localFirst
    ) async throws -> [Answer<ItemList>] {
        try await gateway.list(gateway.people(after: value), limit: limit, maximum: maximum, policy: policy)
            .all
    }

    /// The stored rows, including those no longer listed.
    func stored(_ resource: String = "people") async throws -> [Item] { try await gateway.stored(resource) }

    func stored<R: StoredRecord>(_ type: R.Type) async throws -> [R] {
        try await gateway.store.read { try $0.list(R.self, Query(R.collection)) }
    }

    /// Fetches the details of people.
    func show(_ logins: String...) async throws {
        let details = try gateway.details(of: gateway.resource("people"))
        for login in logins {
            let known = try await gateway.store.read { try $0.item(called: login, of: details.resource) }
            _ = try await details.refresh(login, known: known, isConditional: true)
        }
    }
}

extension Gateway {
    func people(after value: Int64 = 0) throws -> NamedQuestion {
        try question(resource("people"), after: value)
    }

    func projects(of owner: String = "octocat") throws -> NamedQuestion {
        try question(resource("projects"), arguments: [owner])
    }

    func changes(of project: String) throws -> NamedQuestion {
        try question(resource("changes"), arguments: [project])
    }

    func stored(_ name: String) async throws -> [Item] {
        let resource = try resource(name)
        return try await store.read { try $0.items(Query(resource.collection), of: resource) }
    }

    /// Edits the name of a person; nil reverts it.
    func edit(_ login: String, name: String?) async throws {
        let people = try resource("people")
        if let name {
            try await edit(people, login, "name", to: name)
        } else {
            try await revert(people, login)
        }
    }

    /// Writes rows directly, as another program may.
    func put(
        _ rows: [ScriptedFeed.Row], in name: String = "people",
        _ note: @Sendable (inout ItemState) -> Void = { _ in }
    ) async throws {
        let resource = try resource(name)
        var state = ItemState(fetchedAt: now())
        note(&state)
        let noted = state
        try await store.write { writing in
            for row in rows {
                let item = try ScriptedFeed.item(row, of: resource, withDetails: true)
                try writing.put(ItemPacking(item, over: nil, state: noted))
            }
        }
    }

    func delete(_ key: Key, of name: String = "people") async throws {
        let collection = try resource(name).collection
        try await store.write { _ = try $0.delete(key, in: collection) }
    }

    func clearPeople() async throws { try await clear(resource("people")) }
}

extension Item {
    /// The id, or 0 if there is none.
    var id: Int64 { integer("id") ?? 0 }
}

extension ItemList {
    var ids: [Int64] { items.map(\.id) }
}

extension Gateway {
    func listPeople(
        after value: Int64 = 0, limit: Int = 20, maximum: Int? = nil, policy: Policy = .localFirst
    ) throws -> Answers<ItemList> {
        try list(people(after: value), limit: limit, maximum: maximum, policy: policy)
    }

    func listProjects(
        skipping skipped: Int = 0, limit: Int = 30, maximum: Int? = nil, policy: Policy = .localFirst
    ) throws -> Answers<ItemList> {
        try list(projects(), skipping: skipped, limit: limit, maximum: maximum, policy: policy)
    }

    func syncPeople(
        from start: SyncStart = .whereItStopped, details: Bool = false, concurrency: Int = 8,
        maximumRequests: Int? = nil
    ) throws -> Sync {
        try sync(
            people(), from: start, details: details, concurrency: concurrency,
            maximumRequests: maximumRequests)
    }

    func syncProjects(_ owner: String = "octocat", maximumRequests: Int? = nil) throws -> Sync {
        try sync(projects(of: owner), maximumRequests: maximumRequests)
    }

    func peopleWindow(
        size: Int, maximum: Int? = nil, wraps: Bool = false, isOffline: Bool = false
    ) throws -> Window<ListedItem, ListPosition> {
        try window(people(), size: size, maximum: maximum, wraps: wraps, isOffline: isOffline)
    }

    func watchPeople(after id: Int64 = 0, limit: Int = Limits.pageRows) throws -> ItemChanges {
        try watch(resource("people"), after: id == 0 ? nil : .integer(id), limit: limit)
    }
}

public import PatchbayCore
public import PatchbayDomain

/// A source and a storage, and what can be done with the rows of the source's resources.
///
///     let gateway = try await Gateway(storage: MemoryStorage(), source: source, now: Timestamp.now)
///     for await answer in try gateway.list("users", limit: 20) { ... }
public struct Gateway: Sendable {
    public let store: Store
    public let source: Source
    /// What the source can list, show or search, as the storage keeps it.
    public let resources: [Resource]
    /// How old an answer may be before it is requested again; nil leaves it to each resource's definition
    /// (`ResourceDeclaration.fresh`). It holds for lists, single rows and syncs, not for a policy that always asks.
    public var maximumAge: Duration?
    let search: SearchSettings
    let clock: LayerClock
    let served: StoredAnswerListener
    /// Whether the storage is the gateway's own, and not one of several sources.
    private var closesStore = false

    /// Opens the storage.
    ///
    /// - Parameters:
    ///   - schema: `Schema.patchbay`, perhaps with a program's own collections in the same storage.
    ///   - access: what may happen to the storage's files.
    ///   - search: how much searches remember.
    ///   - served: hears how old each answer is that comes from the storage.
    ///   - progress: hears of an opening that takes long.
    ///   - clock: the time; a test gives its own.
    /// - Throws: `conflict` when the storage is an unfinished copy of another one, and what opening a `Store` throws.
    public init(
        storage: any Storage, source: Source, schema: Schema = .patchbay, access: StorageAccess = .creating,
        search: SearchSettings = SearchSettings(), served: @escaping StoredAnswerListener = { _, _ in },
        progress: @escaping WorkProgress.Handler = { _ in }, clock: LayerClock
    ) async throws {
        let gateways = try await Gateways(
            storage: storage, sources: [source], schema: schema, access: access, search: search,
            served: served, progress: progress, clock: clock)
        self = gateways.all[0]
        closesStore = true
    }

    init(
        _ store: Store, _ resources: [Resource], _ source: Source, _ search: SearchSettings,
        _ served: @escaping StoredAnswerListener, clock: LayerClock
    ) {
        self.store = store
        self.resources = resources
        self.source = source
        self.search = search
        self.served = served
        self.clock = clock
    }

    /// Opens the storage, with the system's timer and a time of day.
    public init(
        storage: any Storage, source: Source, schema: Schema = .patchbay, access: StorageAccess = .creating,
        search: SearchSettings = SearchSettings(), served: @escaping StoredAnswerListener = { _, _ in },
        progress: @escaping WorkProgress.Handler = { _ in }, now: @escaping @Sendable () -> Timestamp
    ) async throws {
        try await self.init(
            storage: storage, source: source, schema: schema, access: access, search: search, served: served,
            progress: progress, clock: LayerClock(now: now))
    }

    var now: @Sendable () -> Timestamp { clock.now }

    public var recentSearches: RecentSearches { RecentSearches(store: store, settings: search) }
    public var deniedSearches: DeniedSearches { DeniedSearches(store: store, settings: search, now: now) }

    /// The store for use cases that save what the source tells.
    var sourceStore: SourceStore { SourceStore(store, for: source, clock: clock) }

    /// Closes the source, then the storage, whatever becomes of the source. A storage of several sources stays open:
    /// ``Gateways/close()`` closes it.
    public func close() async throws {
        do {
            try await source.close?()
        } catch {
            if closesStore { try await store.close() }
            throw error
        }
        if closesStore { try await store.close() }
    }
}

extension Source {
    /// The error for a feed that the source does not have.
    func lacks(_ noun: String) -> PatchbayError {
        PatchbayError(.unsupported, "the source \(name) does not tell about \(noun)")
    }
}

public import PatchbayCore
public import PatchbayDomain

/// A source and a storage, and the use cases on the rows of the source's resources.
///
///     let gateway = try await Gateway(storage: MemoryStorage(), source: source)
///     for await answer in try gateway.list("users", limit: 20) { ... }
public struct Gateway: Sendable {
    /// The open storage, for reads and writes of a program's own collections.
    public let store: Store
    /// The source that the use cases query.
    public var source: Source { parts.source }
    /// The resources that the source can list, show or search, with the columns of the storage.
    public var resources: [Resource] { parts.resources }
    /// The age up to which an answer is not requested again; nil for that of each resource's definition
    /// (`NAME.fresh`). Applies to lists, single rows and syncs, but not to policies that always query
    /// the source.
    public var maximumAge: Duration?
    private let parts: Parts
    /// Whether the gateway owns the storage, rather than sharing it with the gateways of other sources.
    private var closesStore = false

    /// What never changes. A class, because each use case copies the gateway several times, and a copy of these would
    /// count about forty references.
    private final class Parts: Sendable {
        let source: Source
        let resources: [Resource]
        let search: SearchSettings
        let clock: LayerClock
        let sourceStore: SourceStore
        let served: StoredAnswerListener

        init(
            _ store: Store, _ resources: [Resource], _ source: Source, _ search: SearchSettings,
            _ served: @escaping StoredAnswerListener, clock: LayerClock
        ) {
            self.source = source
            self.resources = resources
            self.search = search
            self.clock = clock
            sourceStore = SourceStore(store, for: source, clock: clock)
            self.served = served
        }
    }

    /// Opens the storage.
    ///
    /// - Parameters:
    ///   - storage: a storage that is not open. For several sources, pass one storage to `Gateways`.
    ///   - schema: `Schema.patchbay`, perhaps with a program's own collections in the same storage. A gateway that is
    ///     opened from a configuration has `Schema.gateway`, which also contains the state of layers.
    ///   - access: whether the storage's files may be read, written or created.
    ///   - search: how much searches remember.
    ///   - served: called with the age of each answer served from storage.
    ///   - progress: called during a slow open, such as a migration or an index build.
    ///   - clock: the source of time; a test passes its own.
    /// - Throws: `conflict` when the storage is an unfinished copy of another one, and the errors of opening a `Store`.
    public init(
        storage: any Storage, source: Source, schema: Schema = .patchbay, access: StorageAccess = .creating,
        search: SearchSettings = SearchSettings(), served: @escaping StoredAnswerListener = { _, _ in },
        progress: @escaping WorkProgress.Handler = { _ in },
        clock: LayerClock = LayerClock(now: Timestamp.now)
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
        parts = Parts(store, resources, source, search, served, clock: clock)
    }

    /// Opens the storage with the system's timer and the given time of day.
    package init(
        storage: any Storage, source: Source, schema: Schema = .patchbay, access: StorageAccess = .creating,
        search: SearchSettings = SearchSettings(), served: @escaping StoredAnswerListener = { _, _ in },
        progress: @escaping WorkProgress.Handler = { _ in }, now: @escaping @Sendable () -> Timestamp
    ) async throws {
        try await self.init(
            storage: storage, source: source, schema: schema, access: access, search: search, served: served,
            progress: progress, clock: LayerClock(now: now))
    }

    var search: SearchSettings { parts.search }
    package var clock: LayerClock { parts.clock }
    var now: @Sendable () -> Timestamp { clock.now }
    /// The store for use cases that save rows returned by the source.
    var sourceStore: SourceStore { parts.sourceStore }
    var served: StoredAnswerListener { parts.served }

    /// The most recent searches in all resources, up to ``SearchSettings/recentMax``.
    public var recentSearches: RecentSearches { RecentSearches(store: store, settings: search) }
    /// The searches that found nothing and are not sent again for ``SearchSettings/denialLifetime``.
    public var deniedSearches: DeniedSearches { DeniedSearches(store: store, settings: search, now: now) }

    /// Closes the source, then the storage, even when closing the source fails. A storage of several sources stays open
    /// until ``Gateways/close()``.
    public func close() async throws {
        do {
            try await source.close?()
        } catch {
            if closesStore { try await store.close() }
            throw error
        }
        if closesStore { try await store.close() }
    }

    /// The resource with a name, or else with this singular, plural or name of its collection.
    ///
    /// - Throws: `unsupported` when the source does not provide it, or when several resources have this singular or
    ///   plural; the error lists the known resources.
    public func resource(_ name: String) throws -> Resource {
        let named = resources.filter { $0.name == name }
        let found =
            named.isEmpty
            ? resources.filter { [$0.singular, $0.plural, $0.collection.name].contains(name) } : named
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            throw PatchbayError(
                .unsupported,
                "several resources of source \(source.name) are called \"\(name)\"; name one of "
                    + found.map(\.name).joined(separator: ", "))
        }
        let names = resources.map(\.name)
        let known = names.isEmpty ? "it has no resources" : "it has \(names.joined(separator: ", "))"
        throw PatchbayError(
            .unsupported,
            "\(source.isClosed ? "the closed source" : "source \(source.name)") does not provide \"\(name)\""
                + "\(EditDistance.suggestion(for: name, in: names)); \(known)")
    }

    /// The feed of the source's resources.
    ///
    /// - Throws: `unsupported` when it has none.
    func requireFeed() throws -> any ResourceFeed {
        guard !source.isClosed else {
            throw PatchbayError(.offline, "the source cannot be queried in offline mode")
        }
        guard let feed = source.feed else {
            throw PatchbayError(.unsupported, "source \(source.name) has no resources")
        }
        return feed
    }

    /// The resource whose rows the lists of this resource belong to.
    func parent(of resource: Resource) throws -> Resource? {
        try resource.declaration.parent.map { try self.resource($0) }
    }

    /// The resource to whose rows a list of this resource belongs; `list` is nil for the default list.
    ///
    /// - Throws: `unsupported` when it belongs to no rows.
    func requireParent(of resource: Resource, list: String?) throws -> Resource {
        guard let parent = try resource.requireList(list).template.parent else { throw resource.hasNoParent }
        return try self.resource(parent)
    }
}

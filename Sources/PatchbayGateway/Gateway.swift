public import PatchbayCore
public import PatchbayDomain

/// A source and a storage, and what can be done with them: one use case a property.
///
///     let gateway = try await Gateway(storage: MemoryStorage(), source: source)
///     for await answer in gateway.listUsers(limit: 20) { ... }
public struct Gateway: Sendable {
    public let store: Store
    public let source: Source
    /// What the source can list, show or search, as the storage keeps it.
    public let resources: [Resource]
    let search: SearchSettings
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    /// Opens the storage.
    ///
    /// - Parameters:
    ///   - schema: `Schema.patchbay`, perhaps with a program's own collections in the same storage.
    ///   - access: what may happen to the storage's files.
    ///   - search: how much searches remember.
    ///   - served: hears how old each answer is that comes from the storage.
    ///   - now: the clock; a test gives its own.
    ///   - progress: hears of an opening that takes long.
    /// - Throws: `conflict` when the storage is an unfinished copy of another one, and what opening a `Store` throws.
    public init(
        storage: any Storage, source: Source, schema: Schema = .patchbay, access: StorageAccess = .creating,
        search: SearchSettings = SearchSettings(), served: @escaping StoredAnswerListener = { _, _ in },
        progress: @escaping WorkProgress.Handler = { _ in }, now: @escaping @Sendable () -> Timestamp
    ) async throws {
        (store, resources) = try await Store.opening(storage, schema, source, access, progress)
        self.source = source
        self.search = search
        self.served = served
        self.now = now
        do {
            try await store.requireFinishedCopy()
            if access != .reading {
                try await store.fillFoldedNames(progress: progress)
                try await store.fillFoldedTitles(of: resources, progress: progress)
            }
        } catch let error as PatchbayError where error.isRefusedWrite {
            // The storage can still be read; names are folded by the next opening that may write.
        } catch {
            // The first error is the one to tell.
            try? await store.close()
            throw error
        }
    }

    /// Opens the storage, with the clock of a test.
    ///
    ///     let gateway = try await Gateway(storage: MemoryStorage(), source: source, clock: clock.layerClock)
    public init(storage: any Storage, source: Source, clock: LayerClock) async throws {
        try await self.init(storage: storage, source: source, now: clock.now)
    }

    public var listUsers: ListUsers {
        ListUsers(store: sourceStore, source: source, now: now, served: served)
    }
    public var findStoredUsers: FindStoredUsers { FindStoredUsers(store: store) }
    public var showUser: ShowUser { ShowUser(store: sourceStore, source: source, now: now, served: served) }
    public var showAvatar: ShowAvatar {
        ShowAvatar(store: sourceStore, source: source, now: now, served: served)
    }

    public var initUsers: InitUsers { InitUsers(store: sourceStore, source: source, now: now) }
    public var clearUsers: ClearUsers { ClearUsers(store: store, now: now) }
    public var watchUsers: WatchUsers { WatchUsers(store: store) }
    public var editUser: EditUser { EditUser(store: store) }
    public var revertUser: RevertUser { RevertUser(store: store) }

    public var addFavourite: AddFavourite { AddFavourite(store: store, now: now) }
    public var removeFavourite: RemoveFavourite { RemoveFavourite(store: store) }
    public var listFavourites: ListFavourites { ListFavourites(store: store) }
    public var searchFavourites: SearchFavourites { SearchFavourites(store: store) }
    public var findFavourites: FindFavourites { FindFavourites(store: store) }

    public var refreshUsers: RefreshUsers { RefreshUsers(store: sourceStore, source: source, now: now) }
    public var syncUsers: SyncUsers { SyncUsers(store: sourceStore, source: source, now: now) }
    public var syncUserDetails: SyncUserDetails {
        SyncUserDetails(store: sourceStore, source: source, now: now)
    }

    public var showRepository: ShowRepository {
        ShowRepository(store: sourceStore, source: source, now: now, served: served)
    }
    public var syncRepositories: SyncRepositories {
        SyncRepositories(store: sourceStore, source: source, now: now)
    }
    public var listRepositories: ListRepositories {
        ListRepositories(store: sourceStore, source: source, now: now, served: served)
    }
    public var listCommits: ListCommits {
        ListCommits(store: sourceStore, source: source, now: now, served: served)
    }
    public var syncCommits: SyncCommits { SyncCommits(store: sourceStore, source: source, now: now) }

    public var searchUsers: SearchUsers {
        SearchUsers(store: sourceStore, source: source, settings: search, now: now, served: served)
    }
    public var searchRepositories: SearchRepositories {
        SearchRepositories(store: sourceStore, source: source, settings: search, now: now, served: served)
    }
    public var recentSearches: RecentSearches { RecentSearches(store: store, settings: search) }
    public var deniedSearches: DeniedSearches { DeniedSearches(store: store, settings: search, now: now) }

    /// The store for use cases that save what the source tells.
    var sourceStore: SourceStore { SourceStore(store, for: source) }

    /// Closes the source, then the storage, whatever becomes of the source.
    public func close() async throws {
        do {
            try await source.close?()
        } catch {
            try await store.close()
            throw error
        }
        try await store.close()
    }
}

extension Source {
    /// The feed of users.
    /// - Throws: `unsupported` when the source has none.
    func requireUsers() throws -> any UserSource {
        guard let users else { throw lacks("users") }
        return users
    }

    /// The feed of repositories.
    /// - Throws: `unsupported` when the source has none.
    func requireRepositories() throws -> any RepositorySource {
        guard let repositories else { throw lacks("repositories") }
        return repositories
    }

    /// The error for a feed that the source does not have.
    func lacks(_ noun: String) -> PatchbayError {
        PatchbayError(.unsupported, "the source \(name) does not tell about \(noun)")
    }
}

import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The rows that have changed since a position, in the order of their last change, and the resources that were
    /// cleared; over all processes that use the storage.
    ///
    ///     var position: ChangePosition? = try load()
    ///     repeat {
    ///         let news = try await gateway.changes(since: position)
    ///         try apply(news.changes, startingOver: news.restart != nil)
    ///         position = news.position
    ///         try save(position)
    ///     } while news.hasMore
    ///
    /// A row counts as changed when it is new, has other values, is edited or reverted, is missing from a list, is no
    /// longer listed or listed again, or is refused; not when it is only fetched again. Between two positions each row
    /// comes once, as it is now. The source is not queried.
    ///
    /// - Parameters:
    ///   - resources: the resources of interest; by default all of the source. For a reader that adds one later, the
    ///     feed starts over.
    ///   - position: where an earlier reading ended; nil for the start, which returns every stored row.
    ///   - limit: the maximum number of changes, 1 to 10,000 (`Limits.pageRows`).
    public func changes(
        of resources: [Resource]? = nil, since position: ChangePosition? = nil,
        limit: Int = 1_000
    ) async throws -> Changes {
        try await store.changes(of: resources ?? self.resources, since: position, limit: limit)
    }

    /// The pages of ``changes(of:since:limit:)``, without an end: after the last one, the next is awaited.
    ///
    /// - Parameters:
    ///   - resources: the resources of interest; by default all of the source.
    ///   - position: where an earlier reading ended; nil for the start.
    ///   - limit: the maximum number of changes in a page, 1 to 10,000 (`Limits.pageRows`).
    public func followChanges(
        of resources: [Resource]? = nil, since position: ChangePosition? = nil,
        limit: Int = 1_000
    ) -> FollowedChanges {
        Changes.checkLimit(limit)
        return FollowedChanges(
            store: store, resources: resources ?? self.resources, position: position, limit: limit)
    }
}

extension Gateways {
    /// The resources of all sources.
    public var resources: [Resource] { all.flatMap(\.resources) }

    /// ``Gateway/changes(of:since:limit:)`` for the resources of all sources, which share their storage.
    public func changes(
        of resources: [Resource]? = nil, since position: ChangePosition? = nil,
        limit: Int = 1_000
    ) async throws -> Changes {
        try await all[0].changes(of: resources ?? self.resources, since: position, limit: limit)
    }

    /// ``Gateway/followChanges(of:since:limit:)`` for the resources of all sources.
    public func followChanges(
        of resources: [Resource]? = nil, since position: ChangePosition? = nil,
        limit: Int = 1_000
    ) -> FollowedChanges {
        all[0].followChanges(of: resources ?? self.resources, since: position, limit: limit)
    }
}

/// Pages of changes, the first of which may be empty; each later one has changes.
///
/// It ends when the store is closed or the task is cancelled, and throws when the storage cannot be read.
public struct FollowedChanges: AsyncSequence, Sendable {
    let store: Store
    let resources: [Resource]
    let position: ChangePosition?
    let limit: Int

    /// Creates an iterator, which reads at its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(followed: self, position: position) }

    /// Reads at the first call of ``next()``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let followed: FollowedChanges
        fileprivate var position: ChangePosition?
        private var notices: AsyncStream<Set<String>>.Iterator?
        private var mayHaveMore = true

        fileprivate init(followed: FollowedChanges, position: ChangePosition?) {
            self.followed = followed
            self.position = position
        }

        /// Returns the next page, after waiting for a commit that changes a row; nil when the store is closed or the
        /// task is cancelled.
        ///
        /// - Throws: the error of the storage when it cannot be read.
        public mutating func next() async throws -> Changes? {
            let isFirst = notices == nil
            // Listening begins before the first read, so that no change is missed in between.
            var notices = self.notices ?? followed.store.changes.stream().makeAsyncIterator()
            defer { self.notices = notices }
            let names = Set(followed.resources.map(\.collection.name) + [StoredClearing.collection.name])
            while true {
                if mayHaveMore {
                    let page = try await read()
                    guard let page else { return nil }
                    if isFirst || !page.changes.isEmpty || page.restart != nil { return page }
                }
                guard let collections = await notices.next(isolation: #isolation) else { return nil }
                mayHaveMore = !names.isDisjoint(with: collections)
            }
        }

        private mutating func read() async throws -> Changes? {
            do {
                let page = try await followed.store.changes(
                    of: followed.resources, since: position, limit: followed.limit)
                position = page.position
                mayHaveMore = page.hasMore
                return page
            } catch {
                // The store may have been closed between the notice and the read.
                guard followed.store.changes.isFinished else { throw error }
                return nil
            }
        }
    }
}

public import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// One row with its details: first as stored, then as the source returns it.
    ///
    /// A stored row is not fetched again when it is younger than the declared freshness and was fetched by the source
    /// as it is now (`Source.identity`), or when the definition declares no address for single rows.
    ///
    /// - Parameter handle: the current or a former handle. If no stored row has it, one with the same handle in another
    ///   case, or with its accents composed otherwise, is returned.
    public func show(
        _ resource: Resource, _ handle: String, policy: Policy = .localFirst
    ) -> Answers<Item> {
        let store = sourceStore
        return LocalFirst(store: store, policy: policy, now: now, served: served) { reading in
            guard let item = try reading.item(called: handle, of: resource) else { return .init() }
            var stored = LocalFirst<Item>.Stored(item)
            stored.isFinal = policy == .localFirst && isFresh(item, for: handle)
            return stored
        } refresh: { storedAt, isConditional in
            let known = try await store.read { try $0.item(called: handle, of: resource) }
            // Another gateway saved the row after this one had read it.
            if let known, let time = known.state.detailFetchedAt, time != storedAt, store.leases != nil {
                return (.init(known), true)
            }
            let (item, hasChanged) = try await details(of: resource).refresh(
                handle, known: known, isConditional: isConditional)
            return (.init(item), hasChanged)
        }.answers()
    }

    /// What to know about a handle that several stored rows have equally well, of which ``show(_:_:policy:)`` returns
    /// one: their keys. Nil if only one has it.
    package func namesakes(of handle: String, _ resource: Resource) async throws -> String? {
        try await store.read { reading in
            let found = try reading.namesakes(called: handle, of: resource)
            do {
                try found.requireOne(called: handle, of: resource)
                return nil
            } catch let error as PatchbayError {
                return error.message
            }
        }
    }

    /// Fetches the details of several rows concurrently.
    ///
    /// Cancelling the caller's task cancels the requests; saved rows stay.
    ///
    /// - Parameters:
    ///   - handles: at most 10,000.
    ///   - concurrency: the number of requests at a time, 1 to 100.
    /// - Returns: one result for each handle, in order. After a rate limit, a lost connection or lost credentials the
    ///   remaining rows are not fetched; their results contain the same error.
    /// - Throws: `CancellationError`; `unsupported` when the source has no resources; `conflict` when the stored rows
    ///   come from another server.
    public func refresh(
        _ resource: Resource, _ handles: [String], concurrency: Int = 8
    ) async throws -> [Refreshed] {
        precondition((1...100).contains(concurrency), "1 to 100 requests at a time")
        precondition(handles.count <= Limits.pageRows, "at most \(Limits.pageRows) rows at once")
        try await sourceStore.check()
        let details = try details(of: resource)
        let refreshed = await concurrently(
            handles, atMost: concurrency, isEnough: { $0.error?.endsAll == true },
            { await details.refreshed($0) })
        try Task.checkCancellation()
        let end = refreshed.lazy.compactMap { $0?.error }.first { $0.endsAll }
        return zip(handles, refreshed).map { $1 ?? Refreshed(handle: $0, item: nil, error: end) }
    }

    /// Fetches single rows of a resource.
    ///
    /// - Throws: `unsupported` when the source has no resources.
    func details(of resource: Resource) throws -> ItemDetails {
        ItemDetails(
            store: sourceStore, feed: try requireFeed(), identity: source.identity(of: resource),
            resource: resource,
            now: now)
    }
}

/// The result of refreshing one row.
public struct Refreshed: Sendable {
    /// The handle as it was passed to ``Gateway/refresh(_:_:concurrency:)``; the row's own may differ after a rename.
    public let handle: String
    /// The row as it is stored now; nil when it is not stored.
    public let item: Item?
    /// Why it was not refreshed; nil when it was.
    public let error: PatchbayError?
}

extension PatchbayError {
    /// Whether the next request would fail the same way.
    fileprivate var endsAll: Bool { code.isRetryable || code == .unauthorized }
}

extension LocalFirst<Item>.Stored {
    fileprivate init(_ item: Item) {
        let state = item.state
        self.init(value: item, fetchedAt: state.detailFetchedAt ?? state.fetchedAt)
    }
}

extension Gateway {
    /// Whether the stored row is young enough to be returned for a handle without a request.
    private func isFresh(_ item: Item, for handle: String) -> Bool {
        if item.resource.declaration.show == nil { return true }
        let state = item.state
        guard item.isCalledAtSource(handle), let fetchedAt = state.detailFetchedAt else { return false }
        return isFresh(fetchedAt, item.resource)
            && state.detailValidator.isValid(for: source.identity(of: item.resource))
    }

    /// Whether something fetched at this time is young enough not to be requested again.
    func isFresh(_ fetchedAt: Timestamp, _ resource: Resource) -> Bool {
        guard let maximum = maximumAge ?? resource.declaration.fresh else { return false }
        return fetchedAt.storedAge(at: now()).map { $0 < maximum } ?? false
    }
}

import PatchbayCore
import PatchbayDomain

extension Gateway {
    /// A stretch of a list in the source's order: the stored rows at once, then the source's.
    ///
    /// Only the source's pages that contain the stretch are requested, so later rows cost nothing until they are
    /// listed.
    ///
    /// - Parameters:
    ///   - question: made by ``question(_:list:arguments:after:)``.
    ///   - skipped: the number of rows before the stretch; together with the limit at most 10,000 (`Limits.pageRows`).
    ///     Rows that are no longer listed do not count. Entering an ordered list with ``NamedQuestion/after`` costs
    ///     less.
    ///   - limit: the number of rows, at least 1.
    ///   - maximum: the greatest number of rows, counted from the start of the list; nil for no limit. Stored rows
    ///     before the stretch count. Nothing is requested beyond it.
    public func list(
        _ question: NamedQuestion, skipping skipped: Int = 0, limit: Int = 20, maximum: Int? = nil,
        policy: Policy = .localFirst
    ) -> Answers<ItemList> {
        let isInReach = skipped >= 0 && limit > 0 && skipped <= Limits.pageRows - limit
        precondition(isInReach, "a stretch ends within the first \(Limits.pageRows) rows")
        precondition(maximum ?? 1 > 0, "a list has at least 1 row")
        return list(question, ListExtent(skipped: skipped, limit: limit, maximum: maximum), policy)
    }

    /// The stretch after some rows, wherever they are in the list by now.
    ///
    /// - Parameter skipped: the number of rows up to the last of them when they were listed.
    package func list(
        _ question: NamedQuestion, after former: FormerRows, skipping skipped: Int, limit: Int,
        policy: Policy
    ) -> Answers<ItemList> {
        list(question, ListExtent(skipped: skipped, limit: limit, former: former), policy)
    }

    private func list(
        _ question: NamedQuestion, _ extent: ListExtent, _ policy: Policy
    ) -> Answers<ItemList> {
        LocalFirst(store: sourceStore, policy: policy, now: now, served: served) { reading in
            var stored = try stored(question, extent, in: reading)
            stored.isFinal = policy == .localFirst && isFresh(stored, question.resource)
            return stored
        } refresh: { _, isConditional in
            let resolved = try await resolve(question, isConditional: isConditional)
            let feed = feed(of: resolved)
            let placed =
                extent.former == nil ? extent : try await store.read { try feed.placed(extent, in: $0) }
            let pages = try await feed.refresh(placed, isConditional: isConditional)
            var list = try await store.read { try stored(question, extent, in: $0) }
            list.value?.drift = pages.drift
            return (list, pages.haveChanged)
        }.answers()
    }

    private func stored(
        _ question: NamedQuestion, _ extent: ListExtent, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored {
        guard let resolved = try question.stored(in: reading) else { return .init() }
        let feed = feed(of: resolved)
        var stored = try feed.stored(feed.placed(extent, in: reading), in: reading)
        stored.value?.parent = resolved.parent
        return stored
    }

    /// Whether a stored stretch is young enough not to be requested.
    private func isFresh(_ stored: LocalFirst<ItemList>.Stored, _ resource: Resource) -> Bool {
        guard let list = stored.value, list.isWhole, list.notes.isValid, let fetchedAt = stored.fetchedAt
        else {
            return false
        }
        return isFresh(fetchedAt, resource)
    }

    /// Fetches the first page of a list unless it is stored.
    ///
    /// - Returns: the number of rows on the page; nil when the page was stored already.
    /// - Throws: the errors of the source and the storage; `conflict` when the rows were cleared meanwhile.
    @discardableResult
    public func initialize(_ question: NamedQuestion) async throws -> Int? {
        try await sourceStore.check()
        return try await feed(of: resolve(question, isConditional: true)).initialize()
    }
}

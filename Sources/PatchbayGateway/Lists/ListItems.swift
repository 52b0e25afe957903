import PatchbayCore
import PatchbayDomain

extension Gateway {
    /// A stretch of a list, in the source's order: what is stored, at once, then what the source says.
    ///
    /// Only the pages of the source that the stretch lies in are asked for, so a next batch costs nothing before
    /// somebody wants it.
    ///
    /// - Parameters:
    ///   - question: ``question(_:list:arguments:after:)`` makes it.
    ///   - skipped: how many rows stand before the stretch; with the limit 10,000 at most (`Limits.pageRows`). A row
    ///     that is no longer listed counts nowhere. An ordered list is entered by ``NamedQuestion/after`` at less cost.
    ///   - limit: how many rows, at least 1.
    ///   - maximum: how many rows the list has at most from its start on; nil for no end but the source's.
    ///     Rows that are stored before the stretch count. After the last one nothing is asked.
    public func list(
        _ question: NamedQuestion, skipping skipped: Int = 0, limit: Int = 20, maximum: Int? = nil,
        policy: Policy = .localFirst
    ) -> Answers<ItemList> {
        let isInReach = skipped >= 0 && limit > 0 && skipped <= Limits.pageRows - limit
        precondition(isInReach, "a stretch ends within the first \(Limits.pageRows) rows")
        precondition(maximum ?? 1 > 0, "a list has at least 1 row")
        let extent = ListExtent(skipped: skipped, limit: limit, maximum: maximum)
        return LocalFirst(store: sourceStore, policy: policy, now: now, served: served) {
            var stored = try await stored(question, extent)
            stored.isFinal = policy == .localFirst && isFresh(stored, question.resource)
            return stored
        } refresh: { _, isConditional in
            let asked = try await ask(question, isConditional: isConditional)
            let hasChanged = try await feed(of: asked).refresh(extent, isConditional: isConditional)
            return (try await stored(question, extent), hasChanged)
        }.answers()
    }

    private func stored(
        _ question: NamedQuestion, _ extent: ListExtent
    ) async throws -> LocalFirst<ItemList>.Stored {
        try await store.read { reading in
            guard let asked = try question.stored(in: reading) else { return .init() }
            var stored = try feed(of: asked).stored(extent, in: reading)
            stored.value?.parent = asked.parent
            return stored
        }
    }

    /// Whether a stored stretch need not be requested.
    private func isFresh(_ stored: LocalFirst<ItemList>.Stored, _ resource: Resource) -> Bool {
        guard let list = stored.value, !list.isPartial, let fetchedAt = stored.fetchedAt else { return false }
        return isFresh(fetchedAt, resource)
    }

    /// Fetches the first page of a list, when it is not stored yet.
    ///
    /// - Returns: how many rows the page held; nil when the first page was there already.
    /// - Throws: what the source and the storage throw; `conflict` when the rows were cleared meanwhile.
    @discardableResult
    public func initialize(_ question: NamedQuestion) async throws -> Int? {
        try await sourceStore.check()
        return try await feed(of: ask(question, isConditional: true)).initialize(self)
    }
}

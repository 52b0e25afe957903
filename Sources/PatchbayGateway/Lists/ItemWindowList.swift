import PatchbayCore
import PatchbayDomain

/// The rows of a list that the source still lists, for a ``Window``.
struct ItemWindowList: WindowList {
    let gateway: Gateway
    let question: NamedQuestion
    /// The greatest number of rows, counted from the start of the list.
    let maximum: Int?
    /// Whether moves beyond the stored rows query the source; false for an offline window.
    let queriesSource: Bool

    /// The collections of the resource, of the row that the list belongs to, and of the stored pages and stretches.
    var collections: Set<String> {
        let resources = [question.resource, question.parent?.resource].compactMap { $0?.collection.name }
        return Set(
            resources + [StoredListPage.collection.name, StoredListStretch.collection.name])
    }

    /// The list; nil when the row that it belongs to is not stored.
    private func feed(in reading: borrowing Reading) throws -> (any ItemListFeed)? {
        try question.stored(in: reading).map { gateway.feed(of: $0) }
    }

    func position(of item: ListedItem) -> ListPosition { item.position }

    /// Returns stored rows from a place on, up to the first gap or, offline, across gaps. Returns no rows, followed by
    /// `unfetched`, while the row that the list belongs to is not stored.
    func later(
        _ place: WindowPlace<ListPosition>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<ListedItem> {
        guard let feed = try feed(in: reading) else { return LaterItems(following: .unfetched) }
        return try feed.later(
            place, limit: limit, maximum: maximum, acrossGaps: acrossGaps || !queriesSource, in: reading)
    }

    func earlier(
        than position: ListPosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [ListedItem] {
        guard limit > 0, let feed = try feed(in: reading) else { return [] }
        return try feed.earlier(than: position, limit: limit, in: reading)
    }

    func gaps(among items: [ListedItem], in reading: borrowing Reading) throws -> [ListPosition] {
        try feed(in: reading)?.gaps(among: items, in: reading) ?? []
    }

    func position(at fraction: Double, in reading: borrowing Reading) throws -> ListPosition? {
        try feed(in: reading)?.position(at: fraction, in: reading)
    }

    /// Returns whether all rows of the list are stored; always true for an offline window, which wraps over stored
    /// rows.
    func isWhole(in reading: borrowing Reading) throws -> Bool {
        guard queriesSource else { return true }
        return try feed(in: reading)?.isWhole(in: reading) ?? false
    }

    /// Sends one request, or more when all rows of a page are no longer listed, or when the row that the list belongs
    /// to is not stored.
    func fetch(_ place: WindowPlace<ListPosition>) async throws {
        try await gateway.sourceStore.check()
        let resolved = try await gateway.resolve(question, isConditional: true)
        try await gateway.feed(of: resolved).extend(place, maximum: maximum)
    }
}

extension Gateway {
    /// A window over a list; it is empty until its first move.
    ///
    /// - Parameters:
    ///   - question: made by ``question(_:list:arguments:after:)``; the window begins at the start of the list.
    ///   - size: the number of rows shown, 1 to 10,000 (`Limits.pageRows`).
    ///   - maximum: the greatest number of rows, counted from the start of the list, 1 to 10,000; nil for no limit.
    ///   - wraps: whether the first row follows the last, once the source has returned all of them.
    ///   - isOffline: whether the window shows only stored rows and never queries the source.
    public func window(
        _ question: NamedQuestion, size: Int, maximum: Int? = nil, wraps: Bool = false,
        isOffline: Bool = false
    ) -> Window<ListedItem, ListPosition> {
        precondition(
            (1...Limits.pageRows).contains(maximum ?? 1),
            "the maximum of a list is 1 to \(Limits.pageRows) rows")
        let list = ItemWindowList(
            gateway: self, question: question, maximum: maximum, queriesSource: !isOffline)
        return Window(over: list, in: store, size: size, wraps: wraps)
    }
}

public import PatchbayCore
public import PatchbayDomain

/// The favourites in the order of their titles, for a ``Window``. All of them are stored.
public struct FavouriteWindowList: WindowList {
    /// The position of a favourite, ordered by title, then by key.
    public struct Position: Comparable, Hashable, Sendable {
        /// The part of the title that the index contains.
        let title: String
        let row: StoredRowKey

        /// Whether both titles are equal, ignoring the case of A to Z, and both keys are equal.
        public static func == (left: Position, right: Position) -> Bool {
            left.bytes.elementsEqual(right.bytes)
        }

        /// Orders by title, ignoring the case of A to Z, then by key, as the index does.
        public static func < (left: Position, right: Position) -> Bool {
            left.bytes.lexicographicallyPrecedes(right.bytes)
        }

        /// Hashes the bytes that `==` compares.
        public func hash(into hasher: inout Hasher) { for byte in bytes { hasher.combine(byte) } }

        /// Compares as the index does: the title's bytes with A to Z as a to z, then the key. 0 can separate them
        /// because no text contains it.
        private var bytes: [UInt8] {
            title.utf8.map(\.caseFolded) + [0] + row.collection.utf8 + [0] + row.text.utf8
        }
    }

    /// The collection of the resource; nil for the favourites of all resources.
    private let resource: Resource?

    init(of resource: Resource?) { self.resource = resource }

    /// The collection of favourites; the list does not depend on any other.
    public var collections: Set<String> { [Favourite.collection.name] }
    /// Always false, because favourites have no source.
    public var asksSource: Bool { false }

    /// Returns the position of a favourite: its sort title and its row.
    public func position(of item: Favourite) -> Position { Position(title: item.sortTitle, row: item.row) }

    /// Returns up to `limit` favourites from a place on, never followed by `unfetched`, because all are stored.
    public func later(
        _ place: WindowPlace<Position>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<Favourite> {
        var query = query
        switch place {
        case .start: break
        case .at(let position):
            // The bounds limit the scan to the favourites of the resource.
            let end = resource.map { Bounds.Bound.including(.text($0.collection.name)) }
            query.bounds = .between(.including(key(position, isWhole: false)), end)
        case .behind(let position): query.after = key(position, isWhole: true)
        }
        var items: [Favourite] = []
        try reading.scan(query) { row in
            let item = Favourite(row)
            if case .at(let place) = place, position(of: item) < place { return .next }
            items.append(item)
            return items.count <= limit ? .next : .stop
        }
        return LaterItems(items: Array(items.prefix(limit)), behind: items.count > limit ? .stored : .end)
    }

    /// Returns up to `limit` favourites before a position, nearest first; nil for the last ones of the list.
    public func earlier(
        than position: Position?, limit: Int, in reading: borrowing Reading
    ) throws -> [Favourite] {
        var query = query
        query.after = position.map { key($0, isWhole: true) }
        query.order = .descending
        query.limit = limit
        return try reading.list(Favourite.self, query)
    }

    /// Counts the favourites, because all of them fit on one page.
    public func position(at fraction: Double, in reading: borrowing Reading) throws -> Position? {
        let count = try reading.count(query)
        guard count > 0 else { return nil }
        let number = min(count - 1, Int(Double(count) * fraction))
        return try later(.start, limit: number + 1, acrossGaps: true, in: reading).items.last.map(position)
    }

    /// Returns true, because all favourites are stored.
    public func isWhole(in reading: borrowing Reading) throws -> Bool { true }

    /// Does nothing, because favourites have no source.
    public func fetch(_ place: WindowPlace<Position>) async throws {}

    private var query: Query { Favourite.query(of: resource) }

    /// The index key of a position, followed by the primary key if `isWhole`.
    private func key(_ position: Position, isWhole: Bool) -> Key {
        let values: [Key] = (resource.map { [.text($0.collection.name)] } ?? []) + [.text(position.title)]
        return .compound(isWhole ? values + position.row.key.values : values)
    }
}

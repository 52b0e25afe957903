public import PatchbayCore
public import PatchbayDomain

/// The list of all favourites in the order of their titles, for a ``Window``. All of it is stored.
public struct FavouriteList: WindowList {
    /// Where a favourite stands: behind those with a lesser title, or with the same title and a lesser id.
    public struct Position: Comparable, Hashable, Sendable {
        /// As the index has it: its first bytes.
        let title: String
        let id: Int64

        public static func == (left: Position, right: Position) -> Bool {
            left.id == right.id && left.folded.elementsEqual(right.folded)
        }

        public static func < (left: Position, right: Position) -> Bool {
            if left.folded.elementsEqual(right.folded) { return left.id < right.id }
            return left.folded.lexicographicallyPrecedes(right.folded)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(id) }

        /// The title's bytes, A to Z as a to z.
        private var folded: some Sequence<UInt8> {
            title.utf8.lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        }

        fileprivate var key: Key { .compound([.text(title), .integer(id)]) }
    }

    public var collections: Set<String> { [StoredFavourite.collection.name] }
    public var asksSource: Bool { false }

    public func position(of item: StoredFavourite) -> Position {
        Position(title: item.sortTitle, id: item.id)
    }

    public func later(
        _ place: WindowPlace<Position>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<StoredFavourite> {
        var query = Query(StoredFavourite.collection, by: StoredFavourite.byTitle)
        switch place {
        case .start: break
        case .at(let position): query.bounds = .between(.including(.text(position.title)), nil)
        case .behind(let position): query.after = position.key
        }
        var items: [StoredFavourite] = []
        try reading.scan(query) { row in
            let item = StoredFavourite(row)
            if case .at(let place) = place, position(of: item) < place { return .next }
            items.append(item)
            return items.count <= limit ? .next : .stop
        }
        return LaterItems(items: Array(items.prefix(limit)), behind: items.count > limit ? .stored : .end)
    }

    public func earlier(
        than position: Position?, limit: Int, in reading: borrowing Reading
    ) throws -> [StoredFavourite] {
        try reading.list(
            StoredFavourite.self,
            Query(
                StoredFavourite.collection, by: StoredFavourite.byTitle, after: position?.key,
                order: .descending, limit: limit))
    }

    /// By counting: there are no more favourites than fit a page.
    public func position(at fraction: Double, in reading: borrowing Reading) throws -> Position? {
        let count = try reading.count(Query(StoredFavourite.collection))
        guard count > 0 else { return nil }
        let number = min(count - 1, Int(Double(count) * fraction))
        return try later(.start, limit: number + 1, acrossGaps: true, in: reading).items.last.map(position)
    }

    public func isWhole(in reading: borrowing Reading) throws -> Bool { true }

    /// There is nobody to ask.
    public func fetch(_ place: WindowPlace<Position>) async throws {}
}

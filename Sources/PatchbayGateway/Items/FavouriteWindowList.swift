import PatchbayCore
import PatchbayDomain

/// The favourites in the order of their titles, for a ``Window``. All of them are stored.
struct FavouriteWindowList: WindowList {
    /// The collection of the resource; nil for the favourites of all resources.
    private let resource: Resource?

    init(of resource: Resource?) { self.resource = resource }

    var collections: Set<String> { [Favourite.collection.name] }
    var queriesSource: Bool { false }

    func position(of item: Favourite) -> FavouritePosition {
        FavouritePosition(title: item.sortTitle, row: item.row)
    }

    func later(
        _ place: WindowPlace<FavouritePosition>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<Favourite> {
        var query = query
        switch place {
        case .start: break
        case .at(let position):
            // The bounds limit the scan to the favourites of the resource.
            let end = resource.map { Bounds.Bound.including(.text($0.collection.name)) }
            query.bounds = .between(.including(key(position, isWhole: false)), end)
        case .after(let position): query.after = key(position, isWhole: true)
        }
        var items: [Favourite] = []
        try reading.scan(query) { row in
            let item = Favourite(row)
            if case .at(let place) = place, position(of: item) < place { return .next }
            items.append(item)
            return items.count <= limit ? .next : .stop
        }
        return LaterItems(items: Array(items.prefix(limit)), following: items.count > limit ? .stored : .end)
    }

    func earlier(
        than position: FavouritePosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [Favourite] {
        var query = query
        query.after = position.map { key($0, isWhole: true) }
        query.order = .descending
        query.limit = limit
        return try reading.list(Favourite.self, query)
    }

    /// Counts the favourites, because all of them fit on one page.
    func position(at fraction: Double, in reading: borrowing Reading) throws -> FavouritePosition? {
        let count = try reading.count(query)
        guard count > 0 else { return nil }
        let number = min(count - 1, Int(Double(count) * fraction))
        return try later(.start, limit: number + 1, acrossGaps: true, in: reading).items.last.map(position)
    }

    func isWhole(in reading: borrowing Reading) throws -> Bool { true }

    func fetch(_ place: WindowPlace<FavouritePosition>) async throws {}

    private var query: Query { Favourite.query(of: resource) }

    /// The index key of a position, followed by the primary key if `isWhole`.
    private func key(_ position: FavouritePosition, isWhole: Bool) -> Key {
        let values: [Key] = (resource.map { [.text($0.collection.name)] } ?? []) + [.text(position.title)]
        return .compound(isWhole ? values + position.row.key.values : values)
    }
}

/// The position of a favourite, ordered by title, then by key.
public struct FavouritePosition: Comparable, Hashable, Sendable {
    /// The part of the title that the index contains.
    let title: String
    let row: StoredRowKey

    /// Whether both titles are equal, ignoring the case of A to Z, and both keys are equal.
    public static func == (left: FavouritePosition, right: FavouritePosition) -> Bool {
        left.bytes.elementsEqual(right.bytes)
    }

    /// Orders by title, ignoring the case of A to Z, then by key, as the index does.
    public static func < (left: FavouritePosition, right: FavouritePosition) -> Bool {
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

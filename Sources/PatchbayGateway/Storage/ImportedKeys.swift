import PatchbayCore
import PatchbayDomain

/// The keys of the rows of a file so far, to find rows with the key of another one.
struct ImportedKeys {
    /// The hashes of the keys, as many as the limit allows.
    private var hashes: Set<Int> = []
    private let hashesMax: Int
    /// When the import began.
    private let start: Timestamp

    init(since start: Timestamp, hashesMax: Int = 1_000_000) {
        self.start = start
        self.hashesMax = hashesMax
    }

    /// Two rows with one key.
    typealias Clash = (first: Item, other: Item)

    /// The keys of some rows that other rows may have.
    struct Repeats: Sendable {
        /// The hashes that no row before these rows has.
        fileprivate var added: [Int] = []
        /// The hashes that a row before these rows has.
        fileprivate var known: Set<Int> = []
        /// The hashes that a row before these rows may have, because there were too many to remember.
        fileprivate var unsure: Set<Int> = []
        fileprivate let start: Timestamp
        fileprivate var isAnyAmongThem = false
    }

    mutating func add(_ items: ArraySlice<Item>) -> Repeats {
        var repeats = Repeats(start: start), repeated: [Int] = []
        repeats.added.reserveCapacity(items.count)
        for item in items {
            let hash = item.key.hashValue
            let isNew =
                hashes.count < hashesMax
                ? hashes.insert(hash).inserted
                : !hashes.contains(hash) && repeats.unsure.insert(hash).inserted
            if isNew { repeats.added.append(hash) } else { repeated.append(hash) }
        }
        guard !repeated.isEmpty else { return repeats }
        repeats.known = Set(repeated).subtracting(repeats.added)
        repeats.isAnyAmongThem = repeated.contains { !repeats.known.contains($0) }
        return repeats
    }

    /// Forgets rows that were not saved.
    mutating func remove(_ repeats: Repeats) { hashes.subtract(repeats.added) }
}

extension ImportedKeys.Repeats {
    /// The rows whose keys no row of the file before them has, unless both are the same; and those left out.
    func resolved(
        _ items: ArraySlice<Item>, in reading: borrowing Reading
    ) throws -> (new: ArraySlice<Item>, clashes: [ImportedKeys.Clash]) {
        guard isAnyAmongThem || !known.isEmpty || !unsure.isEmpty else { return (items, []) }
        var new: [Item] = [], clashes: [ImportedKeys.Clash] = []
        var first = [Key: Item](minimumCapacity: items.count)
        for item in items {
            let key = item.key
            var before = first[key]
            if before == nil, known.contains(key.hashValue) || unsure.contains(key.hashValue) {
                before = try reading.item(key, of: item.resource)
                // A row from before the import is not one of the file.
                if unsure.contains(key.hashValue), before?.state.fetchedAt.map({ $0 < start }) ?? false {
                    before = nil
                }
            }
            if let before, !item.hasKnownValues(of: before) {
                clashes.append((before, item))
            } else {
                new.append(item)
                first[key] = item
            }
        }
        return (new[...], clashes)
    }
}

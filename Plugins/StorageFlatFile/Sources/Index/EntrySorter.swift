// Unsafe: keys by address. It holds because they stand in the sorter's own buffer, at places that were counted when
// they were put there, and the buffer is not changed while it is sorted.

/// Makes an index of entries that come in any order, in bounded memory: sorted stretches are written to runs, which
/// are merged at the end. Of two entries with one key, the later counts.
final class EntrySorter {
    private struct Item {
        /// The key's first bytes, so that they compare as a number; zeros where it ends.
        var word: UInt64
        var start: UInt32
        var count: UInt32
        var place: Place
    }

    private let folder: RunFolder
    private let sole: SolePart
    private let itemsMax: Int
    private let keys = ByteBuffer(capacity: 1 << 16)
    private var items: [Item] = []
    private var isSorted = true
    /// The newest first.
    private var runs: [Run] = []
    /// Whether a run holds an entry that leads nowhere.
    private var hasDeleted = false

    /// - Parameter itemsMax: how many entries wait in memory.
    init(_ folder: RunFolder, _ sole: SolePart, itemsMax: Int = 1 << 16) {
        self.folder = folder
        self.sole = sole
        self.itemsMax = itemsMax
        items.reserveCapacity(itemsMax)
    }

    func add(_ key: UnsafeRawBufferPointer, _ place: Place) throws {
        let item = Item(
            word: keyWord(key), start: UInt32(keys.count), count: UInt32(key.count), place: place)
        keys.append(key)
        if isSorted, let last = items.last { isSorted = isBefore(last, item) }
        items.append(item)
        if items.count == itemsMax || keys.count > 64 * itemsMax { try spill() }
    }

    /// Forgets every entry.
    func removeAll() {
        runs = []
        clear()
    }

    /// The index of the entries that lead somewhere.
    func finish() throws -> IndexState {
        try spill()
        var index = IndexState(sole)
        let isFinal = runs.count == 1 && !hasDeleted
        let run = isFinal ? runs[0] : try folder.write(Delta(), runs[...], keepDeleted: false, sole)
        index.runs = run.map { [$0] } ?? []
        return index
    }

    private func clear() {
        items.removeAll(keepingCapacity: true)
        keys.count = 0
        isSorted = true
    }

    /// Writes what is in memory to a run.
    private func spill() throws {
        guard !items.isEmpty else { return }
        if !isSorted { items.sort(by: isBefore) }
        var writer = try folder.makeWriter(sole, entryCount: items.count)
        for (position, item) in items.enumerated() {
            let isReplaced = position + 1 < items.count && compare(item, items[position + 1]) == 0
            if isReplaced { continue }
            if item.place.isDeleted { hasDeleted = true }
            try writer.append(key(item), item.place)
        }
        if let run = try writer.finish(sync: false) { runs.insert(run, at: 0) }
        clear()
    }

    private func key(_ item: Item) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: keys.base + Int(item.start), count: Int(item.count))
    }

    /// The order of keys; of equal ones, the order in which they came.
    private func isBefore(_ left: Item, _ right: Item) -> Bool {
        if left.word != right.word { return left.word < right.word }
        let order = compareKeys(key(left), key(right))
        return order == 0 ? left.start < right.start : order < 0
    }

    private func compare(_ left: Item, _ right: Item) -> Int {
        left.word == right.word ? compareKeys(key(left), key(right)) : left.word < right.word ? -1 : 1
    }
}

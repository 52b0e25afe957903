// Unsafe: keys by address. It holds because they are in the sorter's own buffer, at offsets that were recorded when
// they were appended, and the buffer does not change during a sort.

/// Builds an index from entries in any order, in bounded memory: sorted batches are written to runs, which are merged
/// at the end. Of two entries with the same key, the later one is kept.
final class EntrySorter {
    private struct Item {
        /// The key's first eight bytes as a number that compares like them; zeros where the key is shorter.
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
    /// Whether a run contains the entry of a deleted key.
    private var hasDeleted = false

    /// - Parameter itemsMax: the number of entries kept in memory.
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

    /// Drops every entry.
    func removeAll() {
        runs = []
        clear()
    }

    /// Returns the index, without the entries of deleted keys.
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

    /// Writes the entries in memory to a run.
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

    /// Orders entries by key, and equal keys by arrival.
    private func isBefore(_ left: Item, _ right: Item) -> Bool {
        if left.word != right.word { return left.word < right.word }
        let order = compareKeys(key(left), key(right))
        return order == 0 ? left.start < right.start : order < 0
    }

    private func compare(_ left: Item, _ right: Item) -> Int {
        left.word == right.word ? compareKeys(key(left), key(right)) : left.word < right.word ? -1 : 1
    }
}

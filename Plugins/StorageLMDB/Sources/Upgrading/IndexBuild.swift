import PatchbayCore

/// Fills a new index from the rows: sorts as many entries as fit into the given memory, puts them in order, and
/// continues with the next ones. An index that fits is thus appended from start to end.
struct IndexBuild {
    /// The memory for entries that are not written yet.
    static let bytesUsual = 64 << 20
    private static let stepsBetweenProgress = 16384

    let index: Index
    let collection: CollectionSchema
    let progress: WorkProgress.Handler
    var bytesMax = IndexBuild.bytesUsual

    /// - Parameters:
    ///   - reading: the transaction whose snapshot has the rows.
    ///   - writing: the transactions that write the index.
    /// - Throws: `conflict` when two rows have the same values in a unique index; `corrupted`, `storageFull`,
    ///   `CancellationError`.
    func run(_ reading: Transaction, _ writing: WriteSeries) throws {
        let task = "building the index \(index.name) of \(collection.name)"
        let tree = try writing.current().open(Table.name(collection, index), isCreating: true)
        let rows = Tree(collection.name, 0, hasIntegerKeys: collection.hasIntegerKey)
        guard let root = try reading.snapshot.root(named: rows.name) else { throw reading.missing(rows.name) }
        let total = root.entryCount
        var walk = Walk(reading.snapshot, rows, root)
        var run = EntryRun(), entry: [UInt8] = [], isFirst = true, stepCount = 0
        // Reading a row is one half of the work, writing its entry the other.
        func countStep() throws {
            stepCount += 1
            guard stepCount % IndexBuild.stepsBetweenProgress == 0 else { return }
            try Task.checkCancellation()
            progress(WorkProgress(task, done: stepCount / 2, of: total))
        }
        func writeRun() throws {
            try unsafe run.removeAll { own, key, mayRepeat in
                if !mayRepeat, try unsafe writing.current().hasEntry(startingWith: own, in: tree) {
                    throw PatchbayError.conflict(collection, index)
                }
                // The entry ends with the primary key, which is also its value.
                let primaryKey = unsafe key.part(own.count..<key.count)
                try unsafe writing.put(primaryKey, under: key, in: tree, isLast: isFirst)
                try countStep()
            }
            isFirst = false
        }
        while let stored = try unsafe walk.next() {
            let bytes = try unsafe reading.payload(of: stored, in: rows)
            if let fault = unsafe RowView.check(bytes.bytes, collection) {
                throw unsafe reading.snapshot.damaged(rows, stored.key, fault)
            }
            entry.removeAll(keepingCapacity: true)
            let (ownBytes, hasNull) = unsafe try collection.appendEntry(
                of: RowView(unchecked: bytes.bytes), in: index, to: &entry)
            run.add(entry, ownBytes: ownBytes, mayRepeat: hasNull || !index.isUnique)
            try countStep()
            if run.bytes > bytesMax { try writeRun() }
        }
        try writeRun()
        try Task.checkCancellation()
        progress(WorkProgress(task, done: total, of: total))
    }
}

/// Index entries in memory, to be sorted before they are written, because LMDB writes sorted entries much faster.
struct EntryRun {
    /// An entry without its key; the beginning of the key decides most comparisons.
    private struct Place {
        let start: UInt64
        let offset: Int
        let count, ownBytes: UInt16
        let mayRepeat: Bool
    }

    private var keys: [UInt8] = []
    private var places: [Place] = []

    /// The memory that the entries take.
    var bytes: Int { keys.count + places.count * MemoryLayout<Place>.stride }

    /// - Parameters:
    ///   - entry: the complete entry, which ends with the primary key.
    ///   - ownBytes: the number of bytes before the primary key.
    ///   - mayRepeat: whether another entry may have the same own bytes, as one with a null may.
    mutating func add(_ entry: [UInt8], ownBytes: Int, mayRepeat: Bool) {
        let start = (0..<8).reduce(0) { $0 << 8 | ($1 < entry.count ? UInt64(entry[$1]) : 0) }
        places.append(
            Place(
                start: start, offset: keys.count, count: UInt16(entry.count), ownBytes: UInt16(ownBytes),
                mayRepeat: mayRepeat))
        keys.append(contentsOf: entry)
    }

    /// Removes the entries, and visits them in order.
    mutating func removeAll(
        _ visit: (_ own: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ mayRepeat: Bool) throws ->
            Void
    ) rethrows {
        var sorted: [Place] = []
        swap(&sorted, &places)
        defer { keys.removeAll(keepingCapacity: true) }
        try unsafe keys.withUnsafeBytes { keys in
            func key(_ place: Place) -> UnsafeRawBufferPointer {
                unsafe keys.part(place.offset..<place.offset + Int(place.count))
            }
            sorted.sort { left, right in
                left.start == right.start
                    ? unsafe key(left).precedes(key(right)) : left.start < right.start
            }
            for place in sorted {
                let key = unsafe key(place)
                try unsafe visit(key.part(0..<Int(place.ownBytes)), key, place.mayRepeat)
            }
        }
    }
}

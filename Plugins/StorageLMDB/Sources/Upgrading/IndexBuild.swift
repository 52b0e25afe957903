import PatchbayCore

/// Fills a new index from the rows: sorts as many entries as fit into the given memory, puts them in order, and
/// continues with the next ones. An index that fits is thus appended from start to end.
struct IndexBuild {
    /// The memory for entries that are not written yet.
    static let bytesUsual = 64 << 20
    private static let rowsBetweenProgress = 16384
    /// LMDB's node header and offset, and our seal.
    private static let entryOverhead = 14

    let index: Index
    let collection: CollectionSchema
    let progress: WorkProgress.Handler
    var bytesMax = IndexBuild.bytesUsual

    /// - Parameters:
    ///   - reading: the transaction that reads the rows.
    ///   - writing: the transactions that write the index.
    /// - Throws: `conflict` when two rows have the same values in a unique index; `corrupted`, `storageFull`,
    ///   `CancellationError`.
    func run(_ rows: Tree, _ reading: Transaction, _ writing: WriteSeries) throws {
        let name = Table.name(collection, index), total = try reading.entryCount(rows)
        let tree = try writing.current().open(name, isCreating: true)
        var walk = try Walk(reading, rows, order: .ascending)
        var run = EntryRun(), entry: [UInt8] = [], readCount = 0, writtenCount = 0
        func writeRun() throws {
            let isFirst = writtenCount == 0
            try unsafe run.removeAll { own, key, mayRepeat in
                let isUnique = index.isUnique && !mayRepeat
                if isUnique, try unsafe writing.current().hasEntry(startingWith: own, in: tree) {
                    throw PatchbayError.conflict(collection, index)
                }
                try unsafe put(own, key, in: tree, writing, isLast: isFirst)
                writtenCount += 1
                try report(readCount, writtenCount, at: writtenCount, of: total)
            }
        }
        while let stored = try unsafe walk.next() {
            let bytes = try unsafe reading.payload(of: stored.value, under: stored.key, in: rows)
            if let fault = unsafe RowView.check(bytes.bytes, collection) {
                throw unsafe reading.snapshot.damaged(rows, stored.key, fault)
            }
            entry.removeAll(keepingCapacity: true)
            let (ownBytes, hasNull) = unsafe try collection.appendEntry(
                of: RowView(unchecked: bytes.bytes), in: index, to: &entry)
            run.add(entry, ownBytes: ownBytes, mayRepeat: hasNull)
            readCount += 1
            try report(readCount, writtenCount, at: readCount, of: total)
            if run.bytes > bytesMax { try writeRun() }
        }
        try writeRun()
        try Task.checkCancellation()
        progress(WorkProgress(task, done: total, of: total))
    }

    private func put(
        _ own: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, in tree: Tree, _ writing: WriteSeries,
        isLast: Bool
    ) throws {
        // The entry ends with the primary key, which is also its value.
        let primaryKey = unsafe UnsafeRawBufferPointer(rebasing: key[own.count...])
        try unsafe writing.current().put(primaryKey, under: key, in: tree, isLast: isLast)
        try writing.wrote(key.count + primaryKey.count + IndexBuild.entryOverhead)
    }

    private var task: String { "building the index \(index.name) of \(collection.name)" }

    /// Reading counts as one half of the work, writing as the other.
    private func report(_ read: Int, _ written: Int, at count: Int, of total: Int) throws {
        guard count % IndexBuild.rowsBetweenProgress == 0 else { return }
        try Task.checkCancellation()
        progress(WorkProgress(task, done: (read + written) / 2, of: total))
    }
}

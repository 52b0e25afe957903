import PatchbayCore

/// Fills a new index from the rows: sorts its entries in bounded memory, then appends them in order.
struct IndexBuild {
    private static let rowsBetweenProgress = 16384
    /// LMDB's node header and offset, and our seal.
    private static let entryOverhead = 14

    private let index: Index
    private let collection: CollectionSchema
    private let progress: WorkProgress.Handler
    private let task: String

    init(_ index: Index, of collection: CollectionSchema, _ progress: @escaping WorkProgress.Handler) {
        self.index = index
        self.collection = collection
        self.progress = progress
        task = "building the index \(index.name) of \(collection.name)"
    }

    /// Returns the entries of all rows, in order.
    ///
    /// - Throws: `corrupted`, `storageFull`, `CancellationError`.
    func sort(_ rows: Tree, _ reading: Transaction) throws -> SortedEntries {
        let folder = Folder(path: reading.environment.path)
        let sorter = EntrySorter(file: folder.sorted)
        let total = try reading.entryCount(rows)
        var walk = try Walk(reading, rows, order: .ascending)
        var entry: [UInt8] = [], done = 0
        while let stored = try unsafe walk.next() {
            let bytes = try unsafe reading.payload(of: stored.value, under: stored.key, in: rows)
            if let fault = unsafe RowView.check(bytes.bytes, collection) {
                throw unsafe reading.damaged(rows, stored.key, fault)
            }
            entry.removeAll(keepingCapacity: true)
            let (ownBytes, hasNull) = unsafe try collection.appendEntry(
                of: RowView(unchecked: bytes.bytes), in: index, to: &entry)
            try sorter.add(entry, ownBytes: ownBytes, mayRepeat: hasNull)
            done += 1
            // Reading counts as one half of the work, writing as the other.
            if done % IndexBuild.rowsBetweenProgress == 0 { try tell(done / 2, of: total) }
        }
        return try sorter.finish()
    }

    /// Appends the entries to a new tree.
    ///
    /// - Throws: `conflict` when two rows have the same values in a unique index.
    func fill(from entries: SortedEntries, _ writing: WriteSeries) throws {
        let name = Table.name(collection, index)
        guard let tree = try writing.current().open(name, isCreating: true) else { return }
        var previous: EntrySorter.Entry?, done = 0
        try entries.forEach { entry in
            if index.isUnique, !entry.mayRepeat {
                if let previous, unsafe previous.own.isEqual(to: entry.own) {
                    throw PatchbayError.conflict(collection, index)
                }
                previous = entry
            }
            let transaction = try writing.current()
            // The entry ends with the primary key, which is also its value.
            try unsafe transaction.put(entry.primaryKey, under: entry.key, in: tree, isLast: true)
            done += 1
            if done % IndexBuild.rowsBetweenProgress == 0 {
                try tell((entries.count + done) / 2, of: entries.count)
            }
            try unsafe writing.wrote(entry.key.count + entry.primaryKey.count + IndexBuild.entryOverhead)
        }
        try tell(entries.count, of: entries.count)
    }

    private func tell(_ done: Int, of total: Int) throws {
        try Task.checkCancellation()
        progress(WorkProgress(task, done: done, of: total))
    }
}

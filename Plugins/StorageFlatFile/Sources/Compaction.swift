import PatchbayCore

/// Makes a new data file of a collection's rows, in the order of the primary key, and its indexes.
struct Compaction {
    private let old: TableState
    private let transaction: UInt64
    private let disk: Disk

    init(_ old: TableState, _ transaction: UInt64, _ disk: Disk) {
        self.old = old
        self.transaction = transaction
        self.disk = disk
    }

    /// Writes the file and its index files; nothing waits in memory then.
    ///
    /// - Throws: `corrupted` when a row is damaged; the old file is as it was.
    func run(_ path: String, _ folder: RunFolder, isSynced: Bool) throws -> TableState {
        let log = try Log.create(path, old.collection.name, base: transaction, disk)
        let table = WorkingTable(TableState(old.layout, log), folder, Scratch())
        let scratch = Scratch()
        try old.eachLine(Query(old.collection), nil, scratch) { line, place in
            try old.parse(line, place, .all, scratch)
            let body = UnsafeRawBufferPointer(start: line, count: place.length - Line.trailerBytes)
            try scratch.visitRow { try table.copyLine(body, $0) }
            return .next
        }
        table.appendMark(CommitMark(transaction: transaction, previous: 0, synced: transaction))
        try table.writeOut()
        if isSynced { try log.file.sync() }
        try table.flush(factor: 8)
        return table.state
    }
}

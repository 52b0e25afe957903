import PatchbayCore

/// Checks a data file line by line: checksums, form, and that the indexes lead to the current rows.
struct LogCheck {
    private let table: TableState
    private let usesIndexes: Bool
    private let scratch = Scratch()
    private let entries: RowEntries
    private var lineNumber = 1
    /// The number of rows that the primary key leads to.
    private var liveCount = 0
    private var liveBytes = 0

    /// - Parameter usesIndexes: false when indexes are damaged, so that they cannot be compared with the lines.
    init(_ table: TableState, usingIndexes usesIndexes: Bool) {
        self.table = table
        self.usesIndexes = usesIndexes
        entries = RowEntries(indexesMax: table.collection.indexes.count)
    }

    private var path: String { table.log.file.path }

    mutating func run(_ progress: WorkProgress.Handler, _ faults: inout FaultList) throws {
        let byteCount = try table.log.file.byteCount()
        guard byteCount >= table.length else {
            return faults.add(
                path, "byte \(byteCount)", "the file ends here, before byte \(table.length)")
        }
        if try !table.log.hasSoundHeader() { faults.add(path, "line 1, byte 0", "the header is damaged") }
        let scan = LogScan(table.log, from: table.log.headerBytes, to: table.length)
        var isDamaged = false
        while !faults.isFull, let kind = try scan.next() {
            lineNumber += 1
            if lineNumber % 16384 == 0 {
                try Task.checkCancellation()
                report(scan.place.offset, progress)
            }
            guard let message = try fault(kind, scan) else { continue }
            isDamaged = true
            faults.add(path, "line \(lineNumber), byte \(scan.place.offset)", message)
        }
        report(table.length, progress)
        // Differences would only follow from damaged lines.
        if usesIndexes, !faults.isFull, !isDamaged { checkCounts(&faults) }
    }

    private func report(_ done: Int, _ progress: WorkProgress.Handler) {
        progress(WorkProgress("checking \(table.collection.name).jsonl", done: done, of: table.length))
    }

    /// Returns what is wrong with a line, or nil.
    private mutating func fault(_ kind: LogScan.Kind, _ scan: LogScan) throws -> String? {
        switch kind {
        case .damaged: return "the line was edited or damaged: its checksum does not match"
        // Whether the marks of all files agree is checked for all files together.
        case .commit: return nil
        case .cleared:
            return usesIndexes && liveCount > 0
                ? "indexes lead to rows before this line, which deletes all of them" : nil
        case .row:
            switch unsafe LineParser.parse(
                scan.line, scan.place.length, table.layout, .all, into: scratch.row)
            {
            case .malformed: return "the line is not a valid row of \(table.collection.name)"
            case .deletion: return try usesIndexes ? deletionFault(scan.place) : nil
            case .row: return try usesIndexes ? rowFault(scan.place) : nil
            }
        }
    }

    private func deletionFault(_ place: Place) throws -> String? {
        let key = try scratch.rowKey(table.collection)
        let found = try unsafe key.withUnsafeBytes { try unsafe table.indexes[0].find($0) }
        guard let found, found.offset < place.offset else { return nil }
        return "the index leads to byte \(found.offset), a row that this line deletes"
    }

    private mutating func rowFault(_ place: Place) throws -> String? {
        try scratch.visitRow { try entries.fill($0, table.collection) }
        // A later line replaces or deletes this one.
        guard let found = try unsafe table.indexes[0].find(entries[0].bytes), found.offset <= place.offset
        else {
            return nil
        }
        if found != place { return "the index leads to byte \(found.offset), an older version of this row" }
        liveCount += 1
        liveBytes += found.length
        for position in table.indexes.indices.dropFirst()
        where try unsafe table.indexes[position].find(entries[position].bytes) != found {
            return "the index \(table.declaredIndexes[position].name) does not lead to this row"
        }
        return nil
    }

    private func checkCounts(_ faults: inout FaultList) {
        if liveCount == table.rowCount, liveBytes == table.liveBytes { return }
        faults.add(
            path, nil,
            "holds \(liveCount) rows of \(liveBytes) bytes that the primary key leads to, but the storage counts "
                + "\(table.rowCount) of \(table.liveBytes); delete the folder index to rebuild the indexes")
    }
}

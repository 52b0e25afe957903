import PatchbayCore

/// Checks a data file line by line: checksums, form, marks, and that the indexes lead to the current rows.
struct LogCheck {
    /// The number of rows without an entry to remember, because a later line may delete them. Beyond it only their
    /// count is checked.
    private static let orphansMax = 100_000

    private let table: TableState
    private let usesIndexes: Bool
    private let scratch = Scratch()
    private let entries: EntryList
    private var lineNumber = 1
    private var lastMark: UInt64 = 0
    private(set) var liveCount = 0
    private var liveBytes = 0
    /// The places of rows without an index entry, by their keys.
    private var orphans: [ArraySlice<UInt8>: String] = [:]
    private var isDamaged = false

    /// - Parameter usesIndexes: false when index files are damaged, so that they cannot be compared with the lines.
    init(_ table: TableState, usingIndexes usesIndexes: Bool) {
        self.table = table
        self.usesIndexes = usesIndexes
        entries = EntryList(table.collection)
    }

    private var path: String { table.log.file.path }

    mutating func run(
        _ progress: WorkProgress.Handler, _ faults: inout FaultList, _ visit: (CommitMark) -> Void
    ) throws {
        guard try table.log.file.byteCount() >= table.length else {
            let length = try table.log.file.byteCount()
            faults.add(path, "byte \(length)", "the file ends here, before byte \(table.length)")
            return isDamaged = true
        }
        if try !table.log.hasSoundHeader() { faults.add(path, "line 1, byte 0", "the header is damaged") }
        let scan = LogScan(table.log, from: table.log.headerBytes, to: table.length)
        var endsWithMark = true
        while !faults.isFull, let kind = try scan.next() {
            lineNumber += 1
            if lineNumber % 16384 == 0 {
                try Task.checkCancellation()
                report(scan.place.offset, progress)
            }
            endsWithMark = false
            switch kind {
            case .damaged: tell(scan, "the line was edited or damaged: its checksum does not match", &faults)
            case .cleared: checkCleared(scan, &faults)
            case .row: try checkRow(scan, &faults)
            case .commit(let mark):
                endsWithMark = true
                checkMark(mark, scan, &faults)
                visit(mark)
            }
        }
        report(table.length, progress)
        if !faults.isFull, !isDamaged { checkEnd(endsWithMark, &faults) }
    }

    private func report(_ done: Int, _ progress: WorkProgress.Handler) {
        progress(WorkProgress("checking \(table.collection.name).jsonl", done: done, of: table.length))
    }

    private func place(_ scan: LogScan) -> String { "line \(lineNumber), byte \(scan.place.offset)" }

    private mutating func tell(_ scan: LogScan, _ message: String, _ faults: inout FaultList) {
        isDamaged = true
        faults.add(path, place(scan), message)
    }

    private mutating func checkMark(_ mark: CommitMark, _ scan: LogScan, _ faults: inout FaultList) {
        // After a damaged line the previous mark may be missing.
        if mark.previous != lastMark, !isDamaged {
            tell(
                scan, "the commit mark names the previous transaction \(mark.previous), not \(lastMark)",
                &faults)
        }
        if mark.transaction <= lastMark || mark.synced > mark.transaction {
            tell(scan, "the commit mark of transaction \(mark.transaction) is out of order", &faults)
        }
        lastMark = mark.transaction
    }

    private mutating func checkCleared(_ scan: LogScan, _ faults: inout FaultList) {
        orphans = [:]
        if usesIndexes, liveCount > 0 {
            tell(scan, "indexes lead to rows before this line, which deletes all of them", &faults)
        }
    }

    private mutating func checkRow(_ scan: LogScan, _ faults: inout FaultList) throws {
        let place = scan.place
        let outcome = unsafe LineParser.parse(scan.line, place.length, table.layout, .all, into: scratch.row)
        switch outcome {
        case .malformed: tell(scan, "the line is not a valid row of \(table.collection.name)", &faults)
        case .deletion where usesIndexes: try checkDeletion(scan, &faults)
        case .row where usesIndexes: try checkEntries(scan, &faults)
        case .row, .deletion: break
        }
    }

    private mutating func checkDeletion(_ scan: LogScan, _ faults: inout FaultList) throws {
        var key: [UInt8] = []
        try scratch.visitRow { row in
            try table.collection.appendEntry(of: row, in: table.collection.primaryKey, to: &key)
        }
        orphans[key[...]] = nil
        guard let found = try unsafe key.withUnsafeBytes({ try unsafe table.indexes[0].find($0) }) else {
            return
        }
        if found.offset < scan.place.offset {
            tell(scan, "the index leads to byte \(found.offset), a row that this line deletes", &faults)
        }
    }

    private mutating func checkEntries(_ scan: LogScan, _ faults: inout FaultList) throws {
        try scratch.visitRow { try entries.fill($0) }
        let found = try unsafe table.indexes[0].find(entries[0])
        guard let found else {
            if orphans.count < LogCheck.orphansMax {
                unsafe orphans[ArraySlice(Array(entries[0]))] = place(scan)
            }
            return
        }
        guard found == scan.place else {
            // A later line replaces this one.
            if found.offset > scan.place.offset { return }
            return tell(
                scan, "the index leads to byte \(found.offset), an older version of this row", &faults)
        }
        liveCount += 1
        liveBytes += found.length
        for position in table.indexes.indices.dropFirst() {
            let other = try unsafe table.indexes[position].find(entries[position])
            if other == found { continue }
            tell(scan, "the index \(table.declaredIndexes[position].name) does not lead to this row", &faults)
        }
    }

    private func checkEnd(_ endsWithMark: Bool, _ faults: inout FaultList) {
        if !endsWithMark || lastMark != table.lastCommit {
            let place = "byte \(table.length)"
            faults.add(path, place, "the file ends at transaction \(lastMark), not \(table.lastCommit)")
        }
        guard usesIndexes else { return }
        for place in orphans.values.sorted() {
            faults.add(path, place, "no index entry leads to this row")
        }
        if liveCount != table.rowCount || liveBytes != table.liveBytes {
            faults.add(
                path, nil,
                "holds \(liveCount) rows of \(liveBytes) bytes, but the storage counts \(table.rowCount) of "
                    + "\(table.liveBytes)")
        }
    }
}

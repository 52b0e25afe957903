import PatchbayCore

/// Rebuilds indexes from a data file, in bounded memory.
struct IndexBuilding {
    /// The greatest number of entries in memory, of all indexes together.
    private static let itemsMax = 1 << 17

    let folder: RunFolder
    let scratch: Scratch
    let progress: WorkProgress.Handler

    /// Builds the index of the primary key from the lines up to `end`, and counts the rows.
    func buildPrimary(_ table: WorkingTable, to end: Int) throws {
        let log = table.state.log
        let sorter = EntrySorter(folder, table.state.indexes[0].sole, itemsMax: IndexBuilding.itemsMax)
        let scan = LogScan(log, from: log.headerBytes, to: end)
        var lineCount = 0
        while let kind = try scan.next() {
            if lineCount % 16384 == 0 { report(table, scan.place.offset, end) }
            lineCount += 1
            switch kind {
            case .damaged: throw log.damaged(at: scan.place.offset)
            case .cleared: sorter.removeAll()
            case .commit(let mark): table.pass(mark, at: scan.place)
            case .row: try add(scan, table.state, sorter)
            }
            table.pass(scan.place)
        }
        report(table, end, end)
        var indexes = table.state.indexes
        indexes[0] = try sorter.finish()
        var rowCount = 0, liveBytes = 0
        var cursor = try indexes[0].walk(KeyRange())
        while let place = try cursor.next() {
            rowCount += 1
            liveBytes += place.length
        }
        table.take(indexes, rowCount: rowCount, liveBytes: liveBytes)
    }

    private func report(_ table: WorkingTable, _ done: Int, _ total: Int) {
        progress(WorkProgress("reading \(table.state.collection.name).jsonl", done: done, of: total))
    }

    private func add(_ scan: LogScan, _ state: TableState, _ sorter: EntrySorter) throws {
        let outcome = LineParser.parse(scan.line, scan.place.length, state.layout, .all, into: scratch.row)
        guard outcome != .malformed else { throw scan.log.damaged(at: scan.place.offset) }
        scratch.key.removeAll(keepingCapacity: true)
        try scratch.visitRow { row in
            try state.collection.appendEntry(of: row, in: state.collection.primaryKey, to: &scratch.key)
        }
        let place = outcome == .row ? scan.place : .deleted
        try scratch.key.withUnsafeBytes { try sorter.add($0, place) }
    }

    /// Builds other indexes from the current rows.
    ///
    /// - Throws: `conflict` when two rows violate a unique one.
    func build(_ positions: [Int], _ table: WorkingTable) throws {
        if positions.isEmpty { return }
        let state = table.state, declared = state.declaredIndexes
        let names = positions.map { declared[$0].name }.joined(separator: ", ")
        let task = "building the index \(names) of \(state.collection.name)"
        let itemsMax = max(IndexBuilding.itemsMax / positions.count, 1024)
        let sorters = positions.map { EntrySorter(folder, state.indexes[$0].sole, itemsMax: itemsMax) }
        var key: [UInt8] = [], done = 0
        try state.scanWithPlaces(Query(state.collection), scratch) { row, place in
            if done % 16384 == 0 { progress(WorkProgress(task, done: done, of: state.rowCount)) }
            done += 1
            for (position, sorter) in zip(positions, sorters) {
                key.removeAll(keepingCapacity: true)
                try state.collection.appendEntry(of: row, in: declared[position], to: &key)
                try key.withUnsafeBytes { try sorter.add($0, place) }
            }
        }
        progress(WorkProgress(task, done: done, of: state.rowCount))
        var indexes = state.indexes
        for (position, sorter) in zip(positions, sorters) { indexes[position] = try sorter.finish() }
        table.take(indexes, rowCount: state.rowCount, liveBytes: state.liveBytes)
        for position in positions { try checkUnique(table.state, position) }
    }

    /// Refuses a new unique index that two rows violate.
    private func checkUnique(_ state: TableState, _ position: Int) throws {
        let index = state.declaredIndexes[position]
        guard index.isUnique else { return }
        var cursor = try state.indexes[position].walk(KeyRange())
        var last: [UInt8] = []
        while try cursor.next() != nil {
            let part = cursor.key.prefix(state.indexes[position].sole.count(in: cursor.key))
            if part.isEmpty { continue }
            if part.elementsEqual(last) { throw PatchbayError.conflict(state.collection, index) }
            last = Array(part)
        }
    }
}

import PatchbayCore

/// Checks that an index has no more entries than there are rows. ``LogCheck`` has already checked, line by line, that
/// each row has an entry that leads to its line.
struct IndexCheck {
    let table: TableState
    /// As in ``TableState/indexes``.
    let position: Int
    let liveCount: Int

    private var name: String { "the index \(table.declaredIndexes[position].name)" }

    func run(_ faults: inout FaultList) throws {
        var count = 0
        var cursor = try table.indexes[position].walk(KeyRange())
        while try cursor.next() != nil { count += 1 }
        if count == liveCount { return }
        let path = table.log.file.path, before = faults.faults.count
        try findEntries(&faults)
        if faults.faults.count == before {
            faults.add(path, nil, "\(name) has \(count) entries for \(liveCount) rows")
        }
    }

    /// Reports the entries that lead to no row, or to another row.
    private func findEntries(_ faults: inout FaultList) throws {
        let scratch = Scratch()
        let entries = EntryList(table.collection)
        var cursor = try table.indexes[position].walk(KeyRange())
        while !faults.isFull, let place = try cursor.next() {
            if try unsafe !leads(cursor.key, to: place, entries, scratch) {
                faults.add(
                    table.log.file.path, "byte \(place.offset)",
                    "an entry of \(name) does not lead to a current row")
            }
        }
    }

    private func leads(
        _ key: UnsafeRawBufferPointer, to place: Place, _ entries: EntryList, _ scratch: Scratch
    ) throws -> Bool {
        guard place.end <= table.length, place.offset >= table.log.headerBytes,
            place.length > Line.trailerBytes, place.length <= Line.byteCountMax
        else { return false }
        do {
            try table.visitRow(at: place, nil, scratch) { try entries.fill($0) }
            return try unsafe compareKeys(entries[position], key) == 0
                && table.indexes[0].find(entries[0]) == place
        } catch let error as PatchbayError where error.code == .corrupted {
            return false
        }
    }
}

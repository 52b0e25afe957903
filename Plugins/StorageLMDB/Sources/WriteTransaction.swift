import PatchbayCore

/// Reads and changes rows; keeps every index in step with them.
final class WriteTransaction: StorageWriter {
    let reading: ReadTransaction
    private let transaction: Transaction
    private let tables: Tables
    /// The first failure that left the transaction half changed; it must not commit then.
    private(set) var failure: (any Error)?

    private var primaryKey: [UInt8] = []
    private var new = IndexEntries()
    private var old = IndexEntries()
    /// The greatest keys of the tables that this transaction has put to.
    private var greatestKeys: [GreatestKey] = []

    private struct GreatestKey {
        let table: ObjectIdentifier
        /// Empty when there is none.
        var bytes: [UInt8]
    }

    init(_ transaction: Transaction, _ tables: Tables) {
        self.transaction = transaction
        self.tables = tables
        self.reading = ReadTransaction(transaction, tables)
    }

    func get(
        _ key: Key, in collection: Collection, fields: FieldSet, _ visit: (borrowing Row) throws -> Void
    ) throws -> Bool {
        try reading.get(key, in: collection, fields: fields, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing Row) throws -> Step) throws {
        try reading.scan(query, visit)
    }

    func count(_ query: Query) throws -> Int { try reading.count(query) }

    // MARK: Put

    func put(_ row: borrowing Row, in collection: Collection) throws {
        let table = tables[collection]
        primaryKey.removeAll(keepingCapacity: true)
        try table.collection.appendEntry(of: row, in: table.collection.primaryKey, to: &primaryKey)
        try new.encode(row, table.collection)
        try primaryKey.withUnsafeBytes { encoded in
            try table.withRowKey(encoded: encoded) { rowKey in
                let place = try placeOfGreatestKey(table)
                let isLast = isBehindAll(rowKey, table, place)
                let isReplacing = try !isLast && encodeOld(rowKey, table)
                try checkUnique(table, isReplacing)
                try changing {
                    try putEntries(encoded, table, isReplacing)
                    try row.rawBytes.withUnsafeBytes {
                        try transaction.put($0, under: rowKey, in: table.rows, isLast: isLast)
                    }
                }
                if isLast { setGreatestKey(rowKey, place) }
            }
        }
    }

    /// Whether a key comes behind every stored one, so that the row can be appended.
    private func isBehindAll(_ rowKey: UnsafeRawBufferPointer, _ table: Table, _ place: Int) -> Bool {
        greatestKeys[place].bytes.withUnsafeBytes { greatest in
            greatest.isEmpty || table.rows.precedes(greatest, rowKey)
        }
    }

    private func placeOfGreatestKey(_ table: Table) throws -> Int {
        let identity = ObjectIdentifier(table)
        // A handful of tables at most.
        for place in greatestKeys.indices where greatestKeys[place].table == identity { return place }
        var walk = try Walk(transaction, table.rows, order: .descending)
        defer { walk.end() }
        let bytes = try walk.next().map { [UInt8]($0.key) } ?? []
        greatestKeys.append(GreatestKey(table: identity, bytes: bytes))
        return greatestKeys.count - 1
    }

    private func setGreatestKey(_ rowKey: UnsafeRawBufferPointer, _ place: Int) {
        guard greatestKeys[place].bytes.count == rowKey.count else {
            greatestKeys[place].bytes = [UInt8](rowKey)
            return
        }
        greatestKeys[place].bytes.withUnsafeMutableBytes { $0.copyMemory(from: rowKey) }
    }

    private func forgetGreatestKey(_ table: Table) {
        greatestKeys.removeAll { $0.table == ObjectIdentifier(table) }
    }

    /// Keeps the entries of the stored row, before it goes. Returns false when there is none.
    private func encodeOld(_ rowKey: UnsafeRawBufferPointer, _ table: Table) throws -> Bool {
        guard let bytes = try transaction.find(rowKey, in: table.rows) else { return false }
        if let fault = Row.check(bytes.bytes, table.collection) {
            throw transaction.damaged(table.rows, rowKey, fault)
        }
        try old.encode(Row(unchecked: bytes.bytes), table.collection)
        return true
    }

    /// An entry with the same own bytes is another row's, unless it is the very entry that this row has
    /// already.
    private func checkUnique(_ table: Table, _ isReplacing: Bool) throws {
        for (place, index) in table.collection.indexes.enumerated()
        where index.isUnique && !new.hasNull(place) {
            if isReplacing, new.isEqual(to: old, place) { continue }
            let isTaken = try new.withOwnBytes(place) {
                try transaction.hasEntry(startingWith: $0, in: table.indexes[place])
            }
            if isTaken { throw PatchbayError.conflict(table.collection, index) }
        }
    }

    private func putEntries(_ encoded: UnsafeRawBufferPointer, _ table: Table, _ isReplacing: Bool) throws {
        for (place, tree) in table.indexes.enumerated() {
            if isReplacing {
                if new.isEqual(to: old, place) { continue }
                try deleteOldEntry(place, tree)
            }
            try new.withEntry(place) { try transaction.put(encoded, under: $0, in: tree, isLast: false) }
        }
    }

    // MARK: Delete

    func delete(_ key: Key, in collection: Collection) throws -> Bool {
        let table = tables[collection]
        return try reading.withRowKey(key, table) { rowKey in
            guard try encodeOld(rowKey, table) else { return false }
            try changing {
                for (place, tree) in table.indexes.enumerated() { try deleteOldEntry(place, tree) }
                _ = try transaction.delete(rowKey, in: table.rows)
            }
            forgetGreatestKey(table)
            return true
        } ?? false
    }

    func deleteAll(in collection: Collection) throws {
        let table = tables[collection]
        try changing { for tree in [table.rows] + table.indexes { try transaction.clear(tree) } }
        forgetGreatestKey(table)
    }

    private func deleteOldEntry(_ place: Int, _ tree: Tree) throws {
        try old.withEntry(place) { entry in
            guard try transaction.delete(entry, in: tree) else {
                throw transaction.damaged(tree, entry, "it is missing although its row is there")
            }
        }
    }

    // MARK: Failures

    /// Runs changes that cannot be undone one by one: when they fail, the whole transaction has.
    private func changing(_ body: () throws -> Void) throws {
        if let failure { throw failure }
        do {
            try body()
        } catch {
            failure = error
            throw error
        }
    }
}

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
    /// The greatest key of each table with integer keys that this transaction has asked for.
    private var greatestKeys: [ObjectIdentifier: UInt64?] = [:]

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

    func scan(_ query: Query, _ visit: (borrowing Row) throws -> Step) throws { try reading.scan(query, visit) }

    func count(_ query: Query) throws -> Int { try reading.count(query) }

    // MARK: Put

    func put(_ row: borrowing Row, in collection: Collection) throws {
        let table = tables[collection]
        primaryKey.removeAll(keepingCapacity: true)
        try table.collection.appendEntry(of: row, in: table.collection.primaryKey, to: &primaryKey)
        try new.encode(row, table.collection)
        try primaryKey.withUnsafeBytes { encoded in
            try table.withRowKey(encoded: encoded) { rowKey in
                let isLast = try isBehindAll(rowKey, table)
                let isReplacing = try !isLast && encodeOld(rowKey, table)
                try checkUnique(table, isReplacing)
                try changing {
                    try putEntries(encoded, table, isReplacing)
                    try row.rawBytes.withUnsafeBytes {
                        try transaction.put($0, under: rowKey, in: table.rows, isLast: isLast)
                    }
                }
                if isLast { greatestKeys[ObjectIdentifier(table)] = rowKey.load(as: UInt64.self) }
            }
        }
    }

    /// Whether an integer key comes behind every stored one, so that the row can be appended.
    private func isBehindAll(_ rowKey: UnsafeRawBufferPointer, _ table: Table) throws -> Bool {
        guard table.rows.hasIntegerKeys else { return false }
        let key = rowKey.load(as: UInt64.self)
        guard let greatest = try greatestKey(table) else { return true }
        return key > greatest
    }

    private func greatestKey(_ table: Table) throws -> UInt64? {
        if let known = greatestKeys[ObjectIdentifier(table)] { return known }
        var walk = try Walk(transaction, table.rows, order: .descending)
        defer { walk.end() }
        let greatest = try walk.next().map { $0.key.loadUnaligned(as: UInt64.self) }
        greatestKeys[ObjectIdentifier(table)] = .some(greatest)
        return greatest
    }

    /// Keeps the entries of the stored row, before it goes. Returns false when there is none.
    private func encodeOld(_ rowKey: UnsafeRawBufferPointer, _ table: Table) throws -> Bool {
        guard let bytes = try transaction.find(rowKey, in: table.rows) else { return false }
        if let fault = Row.check(bytes.bytes, table.collection) { throw transaction.damaged(table.rows, rowKey, fault) }
        try old.encode(Row(unchecked: bytes.bytes), table.collection)
        return true
    }

    private func checkUnique(_ table: Table, _ isReplacing: Bool) throws {
        for (place, index) in table.collection.indexes.enumerated() where index.isUnique && !new.hasNull(place) {
            if isReplacing, new.isEqual(to: old, place) { continue }
            try checkUnique(table, place)
        }
    }

    /// Looks at the entries with the same own bytes: at most one, and it may only be this row's.
    private func checkUnique(_ table: Table, _ place: Int) throws {
        let tree = table.indexes[place]
        try new.withOwnBytes(place) { own in
            let lower = [UInt8](own)
            var walk = try Walk(
                transaction, tree, KeyRange(lower: lower, upper: KeyEncoding.successor(lower)), order: .ascending)
            defer { walk.end() }
            while let entry = try walk.next() {
                let holder = try reading.primaryKey(of: entry, table, tree)
                guard holder.elementsEqual(primaryKey) else {
                    throw PatchbayError.conflict(table.collection, table.collection.indexes[place])
                }
            }
        }
    }

    private func putEntries(_ encoded: UnsafeRawBufferPointer, _ table: Table, _ isReplacing: Bool) throws {
        for (place, tree) in table.indexes.enumerated() {
            if isReplacing {
                if new.isEqual(to: old, place) { continue }
                try deleteOldEntry(place, tree)
            }
            try new.withEntry(place) { try transaction.put(encoded, under: $0, in: tree) }
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
            greatestKeys[ObjectIdentifier(table)] = nil
            return true
        } ?? false
    }

    func deleteAll(in collection: Collection) throws {
        let table = tables[collection]
        try changing { for tree in [table.rows] + table.indexes { try transaction.clear(tree) } }
        greatestKeys[ObjectIdentifier(table)] = nil
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

import PatchbayCore

/// Reads and changes rows; keeps every index in step with them.
final class WriteTransaction: StorageWriter {
    let reading: ReadTransaction
    private let transaction: Transaction
    private let tables: Tables
    /// The first failure that left the transaction half changed; it must not commit then.
    private(set) var failure: (any Error)?

    private var keys = KeyBuffers()

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
        // Out of the property, because the runtime keeps account of every access to one that lasts.
        var keys = KeyBuffers()
        swap(&keys, &self.keys)
        defer { swap(&keys, &self.keys) }
        try keys.encode(row, table.collection)
        let primaryKey = keys.primaryKey
        try primaryKey.withUnsafeBytes { encoded in
            try table.withRowKey(encoded: encoded) { try put(row, under: $0, encoded, table, &keys) }
        }
    }

    private func put(
        _ row: borrowing Row, under rowKey: UnsafeRawBufferPointer, _ encoded: UnsafeRawBufferPointer,
        _ table: Table, _ keys: inout KeyBuffers
    ) throws {
        let isLast = try transaction.isBehindAll(rowKey, in: table.rows)
        let isReplacing = try !isLast && encodeOld(rowKey, table, &keys.old)
        try checkUnique(table, keys, isReplacing)
        if let failure { throw failure }
        do {
            try putEntries(encoded, table, keys, isReplacing)
            try row.rawBytes.withUnsafeBytes {
                try transaction.put($0, under: rowKey, in: table.rows, isLast: isLast)
            }
        } catch {
            throw failed(error)
        }
    }

    /// Keeps the entries of the stored row, before it goes. Returns false when there is none.
    private func encodeOld(
        _ rowKey: UnsafeRawBufferPointer, _ table: Table, _ old: inout IndexEntries
    ) throws -> Bool {
        guard let bytes = try transaction.find(rowKey, in: table.rows) else { return false }
        if let fault = Row.check(bytes.bytes, table.collection) {
            throw transaction.damaged(table.rows, rowKey, fault)
        }
        try old.encode(Row(unchecked: bytes.bytes), table.collection)
        return true
    }

    /// An entry with the same own bytes is another row's, unless it is the very entry that this row has
    /// already.
    private func checkUnique(_ table: Table, _ keys: borrowing KeyBuffers, _ isReplacing: Bool) throws {
        for place in table.indexes.indices {
            guard table.collection.indexes[place].isUnique, !keys.new.hasNull(place) else { continue }
            if isReplacing, keys.new.isEqual(to: keys.old, place) { continue }
            let isTaken = try keys.new.withOwnBytes(place) {
                try transaction.hasEntry(startingWith: $0, in: table.indexes[place])
            }
            if isTaken { throw PatchbayError.conflict(table.collection, table.collection.indexes[place]) }
        }
    }

    private func putEntries(
        _ encoded: UnsafeRawBufferPointer, _ table: Table, _ keys: borrowing KeyBuffers, _ isReplacing: Bool
    ) throws {
        for place in table.indexes.indices {
            let tree = table.indexes[place]
            if isReplacing {
                if keys.new.isEqual(to: keys.old, place) { continue }
                try deleteEntry(of: keys.old, place, tree)
            }
            try keys.new.withEntry(place) { try transaction.put(encoded, under: $0, in: tree, isLast: false) }
        }
    }

    // MARK: Delete

    func delete(_ key: Key, in collection: Collection) throws -> Bool {
        let table = tables[collection]
        var old = IndexEntries()
        return try reading.withRowKey(key, table) { rowKey in
            guard try encodeOld(rowKey, table, &old) else { return false }
            if let failure { throw failure }
            do {
                for (place, tree) in table.indexes.enumerated() { try deleteEntry(of: old, place, tree) }
                return try transaction.delete(rowKey, in: table.rows)
            } catch {
                throw failed(error)
            }
        } ?? false
    }

    func deleteAll(in collection: Collection) throws {
        let table = tables[collection]
        if let failure { throw failure }
        do {
            for tree in [table.rows] + table.indexes { try transaction.clear(tree) }
        } catch {
            throw failed(error)
        }
    }

    private func deleteEntry(of old: IndexEntries, _ place: Int, _ tree: Tree) throws {
        try old.withEntry(place) { entry in
            guard try transaction.delete(entry, in: tree) else {
                throw transaction.damaged(tree, entry, "it is missing although its row is there")
            }
        }
    }

    /// Keeps why changes that cannot be undone one by one have failed: the whole transaction has.
    private func failed(_ error: any Error) -> any Error {
        failure = error
        return error
    }
}

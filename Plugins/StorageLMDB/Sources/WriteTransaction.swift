import PatchbayCore

/// A write transaction: reads and changes rows, and updates every index with them.
final class WriteTransaction: StorageWriter {
    let reading: ReadTransaction
    private let transaction: Transaction
    private let tables: Tables
    /// The first error that left the transaction half changed, so that it must not commit.
    private(set) var failure: (any Error)?

    private let keys: RowKeys
    /// The keys of the row that is replaced or deleted.
    private let oldKeys: RowKeys

    init(_ transaction: Transaction, _ tables: Tables) {
        self.transaction = transaction
        self.tables = tables
        self.reading = ReadTransaction(transaction, tables)
        keys = RowKeys(indexesMax: tables.indexesMax)
        oldKeys = RowKeys(indexesMax: tables.indexesMax)
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try reading.get(key, in: collection, fields: fields, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        try reading.scan(query, visit)
    }

    func count(_ query: Query) throws -> Int { try reading.count(query) }

    // MARK: Put

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        let table = tables[collection]
        try keys.encode(row, table.collection)
        try unsafe table.withRowKey(encoded: keys.primaryKey) { try unsafe put(row, under: $0, table) }
    }

    @inline(__always)
    private func put(_ row: borrowing RowView, under rowKey: UnsafeRawBufferPointer, _ table: Table) throws {
        let isLast = try unsafe transaction.isAfterAll(rowKey, in: table.rows)
        let isReplacing = try unsafe !isLast && encodeOld(rowKey, table)
        if isReplacing { try checkUnique(table) }
        if let failure { throw failure }
        var taken: Int?
        do {
            if isReplacing { try replaceEntries(table) } else { taken = try addEntries(table, isLast) }
            if taken == nil {
                try unsafe row.rawBytes.withUnsafeBytes {
                    try unsafe transaction.put($0, under: rowKey, in: table.rows, isLast: isLast)
                }
            }
        } catch {
            throw failed(error)
        }
        if let taken { throw PatchbayError.conflict(table.collection, table.collection.indexes[taken]) }
    }

    /// Encodes the keys of the stored row before it is replaced or deleted. Returns false when there is none.
    private func encodeOld(_ rowKey: UnsafeRawBufferPointer, _ table: Table) throws -> Bool {
        guard let bytes = try unsafe transaction.find(rowKey, in: table.rows) else { return false }
        if let fault = unsafe RowView.check(bytes.bytes, table.collection) {
            throw unsafe transaction.damaged(table.rows, rowKey, fault)
        }
        try unsafe oldKeys.encode(RowView(unchecked: bytes.bytes), table.collection)
        return true
    }

    /// Puts the entries of a new row.
    ///
    /// - Parameter isLast: whether every other row's key comes before this one's.
    /// - Returns: the unique index that has another row with the same values; every index is then unchanged.
    private func addEntries(_ table: Table, _ isLast: Bool) throws -> Int? {
        for place in table.indexes.indices where try !addEntry(place, table, isLast) {
            for added in 0..<place { try deleteEntry(of: keys, added, table.indexes[added]) }
            return place
        }
        return nil
    }

    /// Returns false when a unique index has another row with the same values.
    @inline(__always)
    private func addEntry(_ place: Int, _ table: Table, _ isLast: Bool) throws -> Bool {
        let tree = table.indexes[place], entry = unsafe keys.entry(place)
        if table.isUnique[place], !keys.hasNull(place) {
            return try unsafe transaction.putUnique(
                keys.primaryKey, under: entry, ownBytes: keys.ownBytes(place), in: tree, isLast: isLast)
        }
        try unsafe transaction.put(keys.primaryKey, under: entry, in: tree, isLast: false)
        return true
    }

    /// Called before a stored row is replaced. An entry with the same own bytes belongs to another row, unless it is
    /// this row's own entry.
    private func checkUnique(_ table: Table) throws {
        for place in table.indexes.indices {
            guard table.isUnique[place], !keys.hasNull(place), !keys.isEqual(to: oldKeys, place) else {
                continue
            }
            let own = unsafe UnsafeRawBufferPointer(rebasing: keys.entry(place)[..<keys.ownBytes(place)])
            if try unsafe transaction.hasEntry(startingWith: own, in: table.indexes[place]) {
                throw PatchbayError.conflict(table.collection, table.collection.indexes[place])
            }
        }
    }

    private func replaceEntries(_ table: Table) throws {
        for place in table.indexes.indices where !keys.isEqual(to: oldKeys, place) {
            let tree = table.indexes[place]
            try deleteEntry(of: oldKeys, place, tree)
            try unsafe transaction.put(keys.primaryKey, under: keys.entry(place), in: tree, isLast: false)
        }
    }

    // MARK: Delete

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        let table = tables[collection]
        return try unsafe reading.withRowKey(key, table) { rowKey in
            guard try unsafe encodeOld(rowKey, table) else { return false }
            if let failure { throw failure }
            do {
                for (place, tree) in table.indexes.enumerated() { try deleteEntry(of: oldKeys, place, tree) }
                return try unsafe transaction.delete(rowKey, in: table.rows)
            } catch {
                throw failed(error)
            }
        } ?? false
    }

    func deleteAll(in collection: CollectionSchema) throws {
        let table = tables[collection]
        if let failure { throw failure }
        do {
            for tree in [table.rows] + table.indexes { try transaction.clear(tree) }
        } catch {
            throw failed(error)
        }
    }

    private func deleteEntry(of keys: RowKeys, _ place: Int, _ tree: Tree) throws {
        let entry = unsafe keys.entry(place)
        guard try unsafe transaction.delete(entry, in: tree) else {
            throw unsafe transaction.damaged(tree, entry, "it is missing although its row exists")
        }
    }

    /// Remembers an error after changes that cannot be undone one by one, so that the whole transaction fails.
    private func failed(_ error: any Error) -> any Error {
        failure = error
        return error
    }
}

import Synchronization

/// The reference storage: small, obvious, in memory. The conformance suite compares every other storage with it.
///
/// A snapshot is a copy of the state that shares its parts; a write modifies such a copy and then replaces the state.
public final class MemoryStorage: Storage {
    fileprivate struct Table: Sendable {
        var rows = SortedMap()
        /// Maps the name of an index to its entries and their primary keys.
        var indexes: [String: SortedMap] = [:]
    }

    fileprivate struct State: Sendable {
        var tables: [String: Table] = [:]
        var schema = Schema(version: 0, [])
        var revision: UInt64 = 0
        var isOpen = false
    }

    private let state = Mutex(State())
    private let writer = Mutex(())

    /// Creates an empty storage, which must be opened before use.
    public init() {}

    /// Only ``StorageFeatures/readsDuringWrite``.
    public var features: StorageFeatures { [.readsDuringWrite] }

    /// Returns the name of the engine, `memory`, without files and settings.
    public func describe() async throws -> StorageDescription { StorageDescription(engine: "memory") }

    /// Opens for reading and writing whatever the access, because there are no files to create or protect.
    ///
    /// If it is open already, its openers share the rows, and the first one that closes it closes it for all.
    ///
    /// - Throws: `unsupported` when rows from an earlier opening have a newer schema, or one that differs in more than
    ///   added fields and indexes; `conflict` when they violate a new unique index.
    public func open(_ opening: StorageOpening) async throws -> Schema {
        try writer.withLock { _ in
            var opened = state.withLock { $0 }
            if let schema = opening.schema { try opened.change(to: schema) }
            opened.isOpen = true
            state.withLock { $0 = opened }
            return opened.schema
        }
    }

    /// Runs `body` immediately, on the state of the last commit.
    public func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try body(Transaction(openState()))
    }

    /// Runs `body` when no other write is running; blocks the thread until then.
    public func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try writer.withLock { _ in
            let transaction = Transaction(try openState())
            let result = try body(transaction)
            transaction.state.revision += 1
            state.withLock { $0 = transaction.state }
            return result
        }
    }

    /// The number of commits since the storage was created.
    public func revision() async throws -> UInt64 { try openState().revision }

    /// Closes the storage when no write is running. Its rows stay in memory and are there when it is opened again.
    public func close() async throws { writer.withLock { _ in state.withLock { $0.isOpen = false } } }

    private func openState() throws -> State {
        let state = state.withLock { $0 }
        guard state.isOpen else { throw PatchbayError.storageNotOpen() }
        return state
    }

    fileprivate final class Transaction: StorageWriter {
        var state: State

        init(_ state: State) { self.state = state }

        func get(
            _ key: Key, in collection: CollectionSchema, fields: FieldSet,
            _ visit: (borrowing RowView) throws -> Void
        ) throws -> Bool {
            guard let bytes = try table(collection).rows[collection.encoded(key)] else { return false }
            try visit(RowView(unchecked: bytes.span.bytes))
            return true
        }

        func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
            let rows = try table(query.collection).rows
            try walk(query) { key in
                let bytes = rows[key]!
                return try visit(RowView(unchecked: bytes.span.bytes))
            }
        }

        func count(_ query: Query) throws -> Int {
            var count = 0
            try walk(query) { _ in
                count += 1
                return .next
            }
            return count
        }

        func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
            var key: [UInt8] = []
            try collection.appendEntry(of: row, in: collection.primaryKey, to: &key)
            let old = try entries(ofRowAt: key, collection)
            let new = try collection.entries(of: row)
            for (entry, index) in zip(new, collection.indexes) where entry.mustBeUnique {
                try collection.checkUnique(
                    entry.ownBytes, of: key, in: table(collection).indexes[index.name], index)
            }
            // In place: a change through a copy would copy every chunk that it changes.
            removeEntries(old, collection)
            for (entry, index) in zip(new, collection.indexes) {
                state.tables[collection.name]!.indexes[index.name, default: SortedMap()][entry.bytes] = key
            }
            state.tables[collection.name]!.rows[key] = row.copyBytes()
        }

        func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
            let key = try collection.encoded(key)
            guard try table(collection).rows[key] != nil else { return false }
            removeEntries(try entries(ofRowAt: key, collection), collection)
            state.tables[collection.name]!.rows[key] = nil
            return true
        }

        func deleteAll(in collection: CollectionSchema) throws {
            _ = try table(collection)
            state.tables[collection.name] = Table()
        }

        /// The index entries of a stored row; empty when there is no such row.
        private func entries(ofRowAt key: [UInt8], _ collection: CollectionSchema) throws -> [IndexEntry] {
            guard let bytes = try table(collection).rows[key] else { return [] }
            return try collection.entries(of: RowView(unchecked: bytes.span.bytes))
        }

        private func removeEntries(_ entries: [IndexEntry], _ collection: CollectionSchema) {
            for (entry, index) in zip(entries, collection.indexes) {
                state.tables[collection.name]!.indexes[index.name]?[entry.bytes] = nil
            }
        }

        private func table(_ collection: CollectionSchema) throws -> Table {
            guard let table = state.tables[collection.name] else { throw PatchbayError.notOpened(collection) }
            return table
        }

        /// Visits the primary keys that match a query.
        private func walk(_ query: Query, _ visit: ([UInt8]) throws -> Step) throws {
            let table = try table(query.collection)
            let isDeclared = query.walksPrimaryKey || query.collection.indexes.contains(query.index)
            precondition(isDeclared, "\(query.collection.name) has no index \(query.index.name)")
            let map = query.walksPrimaryKey ? table.rows : table.indexes[query.index.name] ?? SortedMap()
            var left = query.limit
            guard left > 0 else { return }
            try map.walk(try query.keyRange(), query.order) { entry, value in
                left -= 1
                let step = try visit(query.walksPrimaryKey ? entry : value)
                return left == 0 ? .stop : step
            }
        }
    }
}

extension MemoryStorage.State {
    /// Brings the rows up to date with a schema. Rows without a field that was added are read as having a null there.
    fileprivate mutating func change(to schema: Schema) throws {
        for change in try schema.changes(from: self.schema) {
            switch change {
            case .create(let collection): tables[collection.name] = MemoryStorage.Table()
            case .dropIndex(let index, let collection): tables[collection.name]!.indexes[index.name] = nil
            case .buildIndex(let index, let collection):
                tables[collection.name]!.indexes[index.name] = try tables[collection.name]!.entries(
                    of: index, collection)
            case .addField, .declare, .setVersion: break
            }
        }
        self.schema = schema.joined(with: self.schema.collections)
    }
}

extension MemoryStorage.Table {
    /// The entries of all rows in an index.
    fileprivate func entries(of index: Index, _ collection: CollectionSchema) throws -> SortedMap {
        var map = SortedMap()
        try rows.walk(KeyRange(), .ascending) { key, row in
            let entry = try collection.entry(of: RowView(unchecked: row.span.bytes), in: index)
            if entry.mustBeUnique { try collection.checkUnique(entry.ownBytes, of: key, in: map, index) }
            map[entry.bytes] = key
            return .next
        }
        return map
    }
}

/// A row's place in one index.
private struct IndexEntry {
    var bytes: [UInt8]
    var ownBytes: ArraySlice<UInt8>
    var mustBeUnique: Bool
}

extension CollectionSchema {
    fileprivate func encoded(_ key: Key) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try appendKey(key, in: primaryKey, to: &bytes)
        return bytes
    }

    fileprivate func entries(of row: borrowing RowView) throws -> [IndexEntry] {
        var entries: [IndexEntry] = []
        for index in indexes { entries.append(try entry(of: row, in: index)) }
        return entries
    }

    fileprivate func entry(of row: borrowing RowView, in index: Index) throws -> IndexEntry {
        var bytes: [UInt8] = []
        let (ownBytes, hasNull) = try appendEntry(of: row, in: index, to: &bytes)
        return IndexEntry(
            bytes: bytes, ownBytes: bytes[..<ownBytes], mustBeUnique: index.isUnique && !hasNull)
    }

    fileprivate func checkUnique(
        _ ownBytes: ArraySlice<UInt8>, of key: [UInt8], in map: SortedMap?, _ index: Index
    ) throws {
        let own = Array(ownBytes)
        try map?.walk(KeyRange(lower: own, upper: KeyEncoding.successor(own)), .ascending) { _, holder in
            if holder != key { throw PatchbayError.conflict(self, index) }
            return .next
        }
    }
}

import PatchbayCore

/// The way from the stored schema to the wanted one.
struct Upgrade {
    /// The schema once the upgrade has run.
    let result: StoredSchema
    let isNothing: Bool
    private let added: [Collection]
    private let migrations: [(collection: Collection, migration: Migration)]

    /// - Throws: `unsupported` when the stored schema is newer or differs in what cannot be added.
    init(from stored: StoredSchema, to wanted: Schema) throws {
        guard stored.version <= wanted.version else {
            throw PatchbayError(
                .unsupported, "the storage has schema \(stored.version), newer than this program's "
                    + "\(wanted.version); use a newer Patchbay")
        }
        var result = StoredSchema(version: wanted.version, collections: stored.collections)
        var added: [Collection] = [], migrations: [(Collection, Migration)] = []
        for collection in wanted.collections {
            if let place = stored.collections.firstIndex(where: { $0.name == collection.name }) {
                migrations.append((collection, try collection.migration(from: stored.collections[place])))
                result.collections[place] = collection
            } else {
                added.append(collection)
                result.collections.append(collection)
            }
        }
        self.result = result
        self.added = added
        self.migrations = migrations
        isNothing = stored.version == wanted.version && added.isEmpty && migrations.allSatisfy { $0.1.isNothing }
    }

    func run(_ transaction: Transaction) throws {
        for collection in added { _ = try Table(collection, transaction, isCreating: true) }
        for (collection, migration) in migrations {
            for index in migration.removedIndexes { try remove(index, of: collection, transaction) }
            for index in migration.addedIndexes { try build(index, of: collection, transaction) }
        }
        try result.save(transaction)
    }

    private func remove(_ index: Index, of collection: Collection, _ transaction: Transaction) throws {
        guard let tree = try transaction.open(Table.name(collection, index)) else { return }
        try transaction.clear(tree, isKept: false)
    }

    /// Fills a new index row by row. LMDB writes changed pages out when there are many, so that memory is bounded.
    private func build(_ index: Index, of collection: Collection, _ transaction: Transaction) throws {
        guard let tree = try transaction.open(Table.name(collection, index), isCreating: true) else { return }
        let rows = try Table.rows(of: collection, transaction)
        var walk = try Walk(transaction, rows, order: .ascending)
        defer { walk.end() }
        var entry: [UInt8] = [], primaryKey: [UInt8] = []
        while let stored = try walk.next() {
            let bytes = try transaction.payload(of: stored.value, under: stored.key, in: rows)
            if let fault = Row.check(bytes.bytes, collection) { throw transaction.damaged(rows, stored.key, fault) }
            let row = Row(unchecked: bytes.bytes)
            entry.removeAll(keepingCapacity: true)
            primaryKey.removeAll(keepingCapacity: true)
            let (ownBytes, hasNull) = try collection.appendEntry(of: row, in: index, to: &entry)
            try collection.appendEntry(of: row, in: collection.primaryKey, to: &primaryKey)
            if index.isUnique, !hasNull, try isTaken(entry[..<ownBytes], transaction, tree) {
                throw PatchbayError.conflict(collection, index)
            }
            try entry.withUnsafeBytes { key in
                try primaryKey.withUnsafeBytes { try transaction.put($0, under: key, in: tree) }
            }
        }
    }

    private func isTaken(_ ownBytes: ArraySlice<UInt8>, _ transaction: Transaction, _ tree: Tree) throws -> Bool {
        let lower = [UInt8](ownBytes)
        let range = KeyRange(lower: lower, upper: KeyEncoding.successor(lower))
        var walk = try Walk(transaction, tree, range, order: .ascending)
        defer { walk.end() }
        return try walk.next() != nil
    }
}

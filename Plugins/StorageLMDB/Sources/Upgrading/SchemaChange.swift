import PatchbayCore

/// Brings a stored schema up to date, with memory that does not grow with the rows.
///
/// A small change is one transaction. A large one fills its new indexes in several; the last one stores the new schema,
/// and until then the new trees are not used. After a kill the next open drops them. An index that keeps its name but
/// changes its parts must be dropped before it is filled again, so such a change is one transaction, too.
struct SchemaChange {
    private let environment: Environment
    private let schema: Schema
    private let progress: WorkProgress.Handler
    private let path: String

    init(_ environment: Environment, _ schema: Schema, _ progress: @escaping WorkProgress.Handler) {
        self.environment = environment
        self.schema = schema
        self.progress = progress
        path = environment.path
    }

    /// Other processes of Patchbay that write wait meanwhile.
    ///
    /// - Returns: the new schema record, and the tables.
    func run() throws -> ([UInt8], Tables) {
        try environment.lockWriter()
        defer { environment.unlockWriter() }
        try dropLeftovers()
        let (stored, rows) = try readSchema()
        let upgrade = try Upgrade(from: stored, to: schema)
        let reading = try Transaction(environment, isWriting: false)
        defer { reading.abort() }
        if upgrade.isNewVersion { try keepOld(reading.snapshot) }
        let writing = WriteSeries(
            environment, after: reading.snapshot.number,
            bytesMax: upgrade.replacesIndexes ? .max : WriteSeries.bytesUsual)
        do {
            for step in upgrade.steps {
                for index in step.migration.addedIndexes {
                    let build = IndexBuild(index, of: step.collection, progress)
                    let entries = try build.sort(rows[step.collection.name]!, reading)
                    if step.replaces(index) { try drop(index, of: step.collection, try writing.current()) }
                    try build.fill(from: entries, writing)
                }
            }
            let tables = try finish(upgrade, try writing.current())
            try writing.commit()
            return (upgrade.result.record, tables)
        } catch {
            writing.abort()
            // When this fails, the next open drops them; the first error says more.
            if writing.hasCommitted { try? dropLeftovers() }
            throw error
        }
    }

    /// Returns the stored schema and the trees of the rows. Uses its own transaction, because LMDB allows no other
    /// while one opens trees.
    private func readSchema() throws -> (StoredSchema, rows: [String: Tree]) {
        let reading = try Transaction(environment, isWriting: false)
        let stored: StoredSchema, rows: [(String, Tree)]
        do {
            stored = try StoredSchema(record: try StoredSchema.load(reading), path: path)
            rows = try stored.collections.map { ($0.name, try Table.rows(of: $0, reading)) }
        } catch {
            reading.abort()
            throw error
        }
        try reading.commit()
        return (stored, Dictionary(uniqueKeysWithValues: rows))
    }

    /// Copies the old storage next to its folder. An existing copy is from a change that did not finish, because the
    /// stored schema is still the old one.
    private func keepOld(_ snapshot: Snapshot) throws {
        let beside = FileSystem.trimmed(path) + ".before-schema-\(schema.version)"
        try Backup(to: beside).write(snapshot, isReplacing: true, progress)
    }

    /// Drops the trees that the stored schema does not name, which a killed index build left.
    private func dropLeftovers() throws {
        let transaction = try Transaction(environment, isWriting: true)
        do {
            let stored = try StoredSchema(record: try StoredSchema.load(transaction), path: path)
            let leftovers = try stored.leftovers(transaction.snapshot)
            for (tree, _) in leftovers {
                let tree = try transaction.open(tree.name, hasIntegerKeys: tree.hasIntegerKeys)
                if let tree { try transaction.clear(tree, isKept: false) }
            }
            if leftovers.isEmpty { return transaction.abort() }
        } catch {
            transaction.abort()
            throw error
        }
        try transaction.commit()
    }

    /// Drops the removed indexes, creates the added collections and stores the schema.
    private func finish(_ upgrade: Upgrade, _ transaction: Transaction) throws -> Tables {
        for step in upgrade.steps {
            for index in step.migration.removedIndexes where step.collection.index(named: index.name) == nil {
                try drop(index, of: step.collection, transaction)
            }
        }
        for collection in upgrade.added { _ = try Table(collection, transaction, isCreating: true) }
        try upgrade.result.save(transaction)
        return try Tables(schema, transaction)
    }

    private func drop(_ index: Index, of collection: CollectionSchema, _ transaction: Transaction) throws {
        guard let tree = try transaction.open(Table.name(collection, index)) else { return }
        try transaction.clear(tree, isKept: false)
    }
}

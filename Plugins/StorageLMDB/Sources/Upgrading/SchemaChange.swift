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

    /// - Parameter schema: the new schema, with all stored collections.
    init(_ environment: Environment, _ schema: Schema, _ progress: @escaping WorkProgress.Handler) {
        self.environment = environment
        self.schema = schema
        self.progress = progress
        path = environment.path
    }

    /// Other processes of Patchbay that write wait meanwhile.
    ///
    /// - Returns: the new stored schema, and the tables.
    func run() throws -> (StoredSchema, Tables<Table>) {
        try environment.lockWriter()
        defer { environment.unlockWriter() }
        try dropLeftovers()
        // In its own transaction, because LMDB allows no other while one opens trees.
        let (stored, rows) = try Transaction.run(environment, isWriting: false) { reading in
            let stored = try StoredSchema.load(reading).schema
            return (stored, try stored.collections.map { try Table.rows(of: $0, reading) })
        }
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
                    let rows = rows.first { $0.name == step.collection.name }!
                    if step.replaces(index) { try drop(index, of: step.collection, try writing.current()) }
                    try IndexBuild(index: index, collection: step.collection, progress: progress)
                        .run(rows, reading, writing)
                }
            }
            let changed = try finish(upgrade, try writing.current())
            try writing.commit()
            return changed
        } catch {
            writing.abort()
            // When this fails, the next open drops them; the first error says more.
            if writing.number > reading.snapshot.number { try? dropLeftovers() }
            throw error
        }
    }

    /// Copies the old storage next to its folder. An existing copy is from a change that did not finish, because the
    /// stored schema is still the old one.
    private func keepOld(_ snapshot: Snapshot) throws {
        let beside = PatchbayCore.Folder.trimmed(path) + ".before-schema-\(schema.version)"
        try Backup(to: beside).write(snapshot, isReplacing: true, progress)
    }

    /// Drops the trees that the stored schema does not name, which a killed index build left.
    private func dropLeftovers() throws {
        try Transaction.run(environment, isWriting: true) { transaction in
            let stored = try StoredSchema.load(transaction)
            for (tree, _) in try stored.leftovers(transaction.snapshot) {
                let tree = try transaction.open(tree.name, hasIntegerKeys: tree.hasIntegerKeys)
                try transaction.clear(tree, isKept: false)
            }
        }
    }

    /// Drops the removed indexes, creates the added collections and stores the schema.
    private func finish(
        _ upgrade: Upgrade, _ transaction: Transaction
    ) throws -> (StoredSchema, Tables<Table>) {
        for step in upgrade.steps {
            for index in step.migration.removedIndexes where step.collection.index(named: index.name) == nil {
                try drop(index, of: step.collection, transaction)
            }
        }
        for collection in upgrade.added { _ = try Table(collection, transaction, isCreating: true) }
        let stored = StoredSchema(schema)
        try stored.save(transaction)
        return (stored, try Table.open(schema, transaction))
    }

    private func drop(_ index: Index, of collection: CollectionSchema, _ transaction: Transaction) throws {
        let name = Table.name(collection, index)
        guard try transaction.snapshot.root(named: name) != nil else { return }
        try transaction.clear(try transaction.open(name), isKept: false)
    }
}

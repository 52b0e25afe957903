import PatchbayCore

/// Brings a stored schema up to date, with memory that does not grow with the rows.
///
/// A small change is one transaction. A large one fills its new indexes in several; the last one stores the new schema,
/// and until then the new trees are not used. After a kill the next open drops them.
struct SchemaChange {
    /// The number of attempts when other processes write meanwhile.
    static let attemptsMax = 5

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

    /// - Returns: the new schema record, and the tables.
    /// - Throws: `WriteSeries.Interrupted` when another process has written meanwhile.
    func run() throws -> ([UInt8], Tables) {
        if let added = try addCollections() { return added }
        try dropLeftovers()
        let (stored, rows, number) = try readSchema()
        let upgrade = try Upgrade(from: stored, to: schema)
        let reading = try Transaction(environment, isWriting: false)
        defer { reading.abort() }
        guard reading.snapshot.number == number else { throw WriteSeries.Interrupted() }
        if upgrade.isNewVersion { try keepOld(reading.snapshot) }
        let writing = WriteSeries(environment, after: number)
        do {
            try change(upgrade, from: stored, rows, reading, writing)
            let tables = try Tables(schema, try writing.current())
            try writing.commit()
            return (upgrade.result.record, tables)
        } catch {
            writing.abort()
            // When this fails, the next open drops them; the first error says more.
            if writing.hasCommitted { try? dropLeftovers() }
            throw error
        }
    }

    /// Adds collections in one transaction, so that writes of other processes do not disturb it.
    ///
    /// - Returns: nil when the change is more than added collections.
    private func addCollections() throws -> ([UInt8], Tables)? {
        let transaction = try Transaction(environment, isWriting: true)
        let upgrade: Upgrade, tables: Tables
        do {
            let stored = try StoredSchema(record: try StoredSchema.load(transaction), path: path)
            upgrade = try Upgrade(from: stored, to: schema)
            guard upgrade.onlyAdds, try stored.leftovers(transaction.snapshot).isEmpty else {
                transaction.abort()
                return nil
            }
            for collection in upgrade.added { _ = try Table(collection, transaction, isCreating: true) }
            try upgrade.result.save(transaction)
            tables = try Tables(schema, transaction)
        } catch {
            transaction.abort()
            throw error
        }
        try transaction.commit()
        return (upgrade.result.record, tables)
    }

    /// Returns the stored schema, the trees of the rows, and the commit. Uses its own transaction, because LMDB allows
    /// no other while one opens trees.
    private func readSchema() throws -> (StoredSchema, rows: [String: Tree], number: UInt64) {
        let reading = try Transaction(environment, isWriting: false)
        let stored: StoredSchema
        let rows: [String: Tree]
        do {
            stored = try StoredSchema(record: try StoredSchema.load(reading), path: path)
            rows = try Dictionary(
                uniqueKeysWithValues: stored.collections.map { ($0.name, try Table.rows(of: $0, reading)) })
        } catch {
            reading.abort()
            throw error
        }
        try reading.commit()
        return (stored, rows, reading.snapshot.number)
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
        let leftovers: [SubDatabase]
        do {
            let stored = try StoredSchema(record: try StoredSchema.load(transaction), path: path)
            leftovers = try stored.leftovers(transaction.snapshot)
            for leftover in leftovers {
                let tree = try transaction.open(leftover.name, hasIntegerKeys: leftover.hasIntegerKeys)
                if let tree { try transaction.clear(tree, isKept: false) }
            }
        } catch {
            transaction.abort()
            throw error
        }
        if leftovers.isEmpty { transaction.abort() } else { try transaction.commit() }
    }

    private func change(
        _ upgrade: Upgrade, from stored: StoredSchema, _ rows: [String: Tree], _ reading: Transaction,
        _ writing: WriteSeries
    ) throws {
        var stored = stored
        for step in upgrade.steps {
            for index in step.migration.addedIndexes {
                let build = IndexBuild(index, of: step.collection, progress)
                let entries = try build.sort(rows[step.collection.name]!, reading)
                if step.replaces(index) {
                    // Both have the same name, so the old one must be dropped first. Before that, look for rows that
                    // violate the new one.
                    if index.isUnique { try build.checkUnique(entries) }
                    try remove(index, of: step.collection, from: &stored, writing)
                }
                try build.fill(from: entries, writing)
            }
        }
        let transaction = try writing.current()
        for step in upgrade.steps {
            for index in step.migration.removedIndexes where step.collection.index(named: index.name) == nil {
                try drop(index, of: step.collection, transaction)
            }
        }
        for collection in upgrade.added { _ = try Table(collection, transaction, isCreating: true) }
        try upgrade.result.save(transaction)
    }

    /// Drops an index and removes it from the stored schema, so that it will be rebuilt whatever happens now.
    private func remove(
        _ index: Index, of collection: CollectionSchema, from stored: inout StoredSchema,
        _ writing: WriteSeries
    ) throws {
        let transaction = try writing.current()
        try drop(index, of: collection, transaction)
        stored.remove(index, of: collection.name)
        try stored.save(transaction)
    }

    private func drop(_ index: Index, of collection: CollectionSchema, _ transaction: Transaction) throws {
        guard let tree = try transaction.open(Table.name(collection, index)) else { return }
        try transaction.clear(tree, isKept: false)
    }
}

import PatchbayCore
import PatchbaySystem

/// Brings a stored schema up to date, with memory that does not grow with the rows.
///
/// A small change is one transaction. A large one fills its new indexes in several; the last one stores the new schema,
/// and until then the new trees are not used. After a kill the next open drops them. An index that keeps its name but
/// changes its parts must be dropped before it is filled again, so such a change is one transaction, too.
struct SchemaUpgrade {
    let environment: Environment
    /// The new schema, with all stored collections.
    let schema: Schema
    let progress: WorkProgress.Handler

    /// Other processes of Patchbay that write wait meanwhile.
    ///
    /// - Returns: the new stored schema.
    func run() throws -> StoredSchema {
        try environment.lockWriter()
        defer { environment.unlockWriter() }
        try dropLeftovers()
        // In its own transaction, because LMDB allows no other while one opens trees.
        let stored = try Transaction.run(environment, isWriting: false) { try StoredSchema.load($0).schema }
        let changes = try schema.changes(from: stored)
        if !changes.isEmpty { progress(WorkProgress(SchemaChange.task, done: 0)) }
        let reading = try Transaction(environment, isWriting: false)
        defer { reading.abort() }
        if stored.version < schema.version {
            // An existing copy is from a change that did not finish, because the stored schema is still the old one.
            let beside = FileSystem.trimmed(environment.path) + ".before-schema-\(schema.version)"
            try Backup(to: beside).write(reading.snapshot, isReplacing: true, progress)
        }
        let writing = WriteSeries(
            environment, after: reading.snapshot.number,
            bytesMax: changes.contains(where: \.replacesIndex) ? .max : WriteSeries.bytesUsual)
        do {
            for case .buildIndex(let index, let collection) in changes {
                // Drops the index that it replaces.
                try drop(Table.name(collection, index), try writing.current())
                try IndexBuild(index: index, collection: collection, progress: progress)
                    .run(reading, writing)
            }
            let stored = try finish(changes, try writing.current())
            try writing.commit()
            return stored
        } catch {
            writing.abort()
            // When this fails, the next open drops them; the first error says more.
            if writing.number > reading.snapshot.number { try? dropLeftovers() }
            throw error
        }
    }

    /// Drops the trees that the stored schema does not name, which a killed index build left.
    private func dropLeftovers() throws {
        try Transaction.run(environment, isWriting: true) { transaction in
            let stored = try StoredSchema.load(transaction)
            for (tree, _) in try stored.leftovers(transaction.snapshot) { try drop(tree.name, transaction) }
        }
    }

    /// Drops the removed indexes, creates the added collections and stores the schema.
    private func finish(_ changes: [SchemaChange], _ transaction: Transaction) throws -> StoredSchema {
        for change in changes {
            switch change {
            case .create(let collection): _ = try Table(collection, transaction, isCreating: true)
            case .dropIndex(let index, let collection) where !change.replacesIndex:
                try drop(Table.name(collection, index), transaction)
            default: break
            }
        }
        let stored = StoredSchema(schema)
        try stored.save(transaction)
        return stored
    }

    /// Drops a sub-database, if it exists.
    private func drop(_ name: String, _ transaction: Transaction) throws {
        guard let root = try transaction.snapshot.root(named: name) else { return }
        let tree = try transaction.open(name, hasIntegerKeys: root.hasIntegerKeys)
        try transaction.clear(tree, isKept: false)
    }
}

extension SchemaChange {
    /// Whether the change removes an index that another one of the same name replaces.
    fileprivate var replacesIndex: Bool {
        guard case .dropIndex(let index, let collection) = self else { return false }
        return collection.index(named: index.name) != nil
    }
}

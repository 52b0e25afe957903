import PatchbayCore

/// Reads and writes on the only connection that writes.
final class WriteTransaction: ReadTransaction, StorageWriter {
    let identity: StorageIdentity?
    private let beginning: Statement
    private let committing: Statement
    /// The error with which SQLite ended the transaction itself, as it does when the disk is full.
    private var broken: (any Error)?
    /// The number of statements in this transaction that changed rows.
    private var changeCount = 0
    /// The number of changes after which the cache is enlarged, because each row has its own place in an index and the
    /// changed pages would soon fill a small one. The cache stays large until the next small transaction, so that a
    /// load in many large transactions keeps it.
    private static let changesOfLarge = 256

    init(_ collections: [CollectionSchema], on connection: Connection, _ identity: StorageIdentity) throws {
        self.identity = identity
        beginning = try connection.prepare("BEGIN IMMEDIATE")
        committing = try connection.prepare("COMMIT")
        super.init(collections, connection)
    }

    func begin() throws {
        broken = nil
        changeCount = 0
        try run(beginning)
    }

    func commit() throws {
        if let broken { throw broken }
        // Set before the commit, after which nothing may fail. The commit then releases clean pages beyond the limit.
        if changeCount < WriteTransaction.changesOfLarge { try connection.limit(.small) }
        try run(committing)
    }

    func rollBack() throws {
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
    }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        let table = try table(of: collection)
        try table.keyLengths.check(row)
        do {
            try change(table, StatementShape(.put)) { $0.bind(row, table.types) }
        } catch let error as PatchbayError where error.code == .conflict {
            throw try conflict(of: row, in: collection) ?? error
        }
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        let table = try table(of: collection)
        guard let values = try collection.keyValues(key) else { return false }
        try change(table, StatementShape(.delete)) { $0.bind(values) }
        return connection.changedRows > 0
    }

    func deleteAll(in collection: CollectionSchema) throws {
        try change(table(of: collection), StatementShape(.deleteAll)) { _ in }
    }

    /// Runs a statement that changes rows.
    private func change(_ table: Table, _ shape: StatementShape, _ bind: (Statement) -> Void) throws {
        // Outside a transaction, every statement would commit by itself.
        if let broken { throw broken }
        changeCount += 1
        if changeCount == WriteTransaction.changesOfLarge { try connection.limit(.large) }
        let statement = try table.take(shape)
        defer { table.release(statement, shape) }
        bind(statement)
        do {
            _ = try statement.step()
        } catch {
            if !connection.isInTransaction { broken = error }
            throw error
        }
    }

    private func run(_ statement: Statement) throws {
        defer { statement.reset() }
        _ = try statement.step()
    }
}

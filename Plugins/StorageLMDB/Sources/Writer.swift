import PatchbayCore

/// Runs what blocks (opening, writing, closing), one piece at a time, on a thread of its own. A whole
/// transaction stays on one thread, as LMDB wants it.
actor Writer {
    /// After so many commits the places of readers whose process has ended are freed; their snapshots would
    /// keep the file growing.
    private static let commitsBetweenReaderChecks = 256

    private let executor = BlockingExecutor(label: "patchbay.lmdb.writer", borrowing: .shared)
    private var finished: ObjectIdentifier?
    private var commitCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func open(_ path: String, _ durability: Durability, _ bytesMax: Int, _ schema: Schema) throws
        -> Connection
    {
        finished = nil
        return try Opening(path: path, durability: durability, bytesMax: bytesMax, schema: schema).run()
    }

    func write<Result: Sendable>(
        _ connection: Connection, _ body: @Sendable (any StorageWriter) throws -> Result
    ) throws -> Result {
        let environment = connection.environment
        guard finished != ObjectIdentifier(connection) else { throw LMDBStorage.notOpen(environment.path) }
        let transaction = try Transaction(environment, isWriting: true)
        let result: Result
        do {
            try StoredSchema.check(connection.schemaRecord, in: transaction)
            let writing = WriteTransaction(transaction, connection.tables)
            result = try body(writing)
            if let failure = writing.failure { throw failure }
        } catch {
            transaction.abort()
            throw error
        }
        try transaction.commit()
        try afterCommit(environment)
        return result
    }

    /// Waits for the writes before it and refuses those behind it.
    func finish(_ connection: Connection) { finished = ObjectIdentifier(connection) }

    func close(_ connection: Connection) { connection.closeAtOnce() }

    private func afterCommit(_ environment: Environment) throws {
        commitCount += 1
        if commitCount % Writer.commitsBetweenReaderChecks == 0 { try environment.clearStaleReaders() }
    }
}

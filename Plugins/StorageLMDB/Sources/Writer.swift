import PatchbayCore

/// Runs blocking work (opening, writing, compacting, closing), one piece at a time, on its own thread. A whole
/// transaction stays on one thread, as LMDB requires.
actor Writer {
    /// After this many commits the reader places of processes that have ended are freed, because their snapshots would
    /// keep the file growing.
    private static let commitsBetweenReaderChecks = 256

    private let executor = BlockingExecutor(label: "patchbay.lmdb.writer", borrowing: .shared)
    private var commitCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func open(_ opening: Opening) throws -> Connection { try opening.run() }

    func write<Result: Sendable>(
        _ connection: Connection, _ body: @Sendable (any StorageWriter) throws -> Result
    ) throws -> Result {
        let environment = connection.environment
        try connection.checkTakesWrites()
        let transaction = try Transaction(environment, isWriting: true)
        let result: Result
        do {
            try connection.checkSchema(in: transaction)
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

    /// Waits for earlier writes and refuses later ones.
    func finish(_ connection: Connection) { connection.finish() }

    func close(_ connection: Connection) { connection.closeAtOnce() }

    /// Closes the environment, compacts its file and opens it again, even if compacting fails.
    ///
    /// - Returns: the new connection, and the error if the file was not compacted.
    func compact(
        _ connection: Connection, _ opening: Opening, _ progress: WorkProgress.Handler
    ) throws -> (Connection, (any Error)?) {
        connection.closeEnvironment()
        var failure: (any Error)?
        do {
            try Compaction(
                folder: Folder(path: opening.path), busyTimeoutMilliseconds: opening.busyTimeoutMilliseconds
            ).run(progress)
        } catch {
            failure = error
        }
        do {
            return (try opening.reopen(connection.registration), failure)
        } catch {
            connection.registration.end()
            throw failure ?? error
        }
    }

    private func afterCommit(_ environment: Environment) throws {
        commitCount += 1
        if commitCount % Writer.commitsBetweenReaderChecks == 0 { try environment.clearStaleReaders() }
    }
}

import PatchbayCore

/// Runs what blocks (opening, writing, compacting, closing), one piece at a time, on a thread of its own. A
/// whole transaction stays on one thread, as LMDB wants it.
actor Writer {
    /// After so many commits the places of readers whose process has ended are freed; their snapshots would
    /// keep the file growing.
    private static let commitsBetweenReaderChecks = 256

    private let executor = BlockingExecutor(label: "patchbay.lmdb.writer", borrowing: .shared)
    private var commitCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

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

    /// Waits for the writes before it and refuses those behind it.
    func finish(_ connection: Connection) { connection.finish() }

    func close(_ connection: Connection) { connection.closeAtOnce() }

    /// Closes the environment, compacts its file and opens it again, whatever has become of the file.
    ///
    /// - Returns: the new connection, with the error when the file is as it was.
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

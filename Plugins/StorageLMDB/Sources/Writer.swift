import PatchbayCore
import Synchronization

/// Runs blocking work (opening, writing, compacting, closing), one piece at a time, on its own thread. A whole
/// transaction stays on one thread, as LMDB requires.
actor Writer: BlockingActor {
    /// After this many commits the reader places of processes that have ended are freed, because their snapshots would
    /// keep the file growing.
    private static let commitsBetweenReaderChecks = 256

    private let path: String
    let executor = BlockingExecutor(label: "patchbay.lmdb.writer")
    private let opened = Mutex<Connection?>(nil)
    private var commitCount = 0
    /// The stored schema that a write checked last; nil before the first one.
    private var storedSchema: StoredSchema?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(path: String) { self.path = path }

    /// - Throws: `unsupported` while the storage is closed.
    nonisolated func connection() throws -> Connection {
        guard let connection = opened.withLock({ $0 }) else { throw PatchbayError.storageNotOpen(path) }
        return connection
    }

    func open(_ opening: Opening) throws -> Schema {
        guard opened.withLock({ $0 }) == nil else { throw PatchbayError.storageIsOpen(path) }
        let connection = try opening.run()
        use(connection)
        return connection.schema
    }

    private func use(_ connection: Connection) {
        opened.withLock { $0 = connection }
        storedSchema = nil
    }

    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) throws -> Result {
        let connection = try writableConnection()
        let result = try Transaction.run(connection.environment, isWriting: true) { transaction in
            storedSchema = try (storedSchema ?? connection.storedSchema).checked(
                for: connection.schema, in: transaction)
            let writing = WriteTransaction(
                transaction, connection.tables, connection.schema, connection.identity)
            let result = try body(writing)
            if let failure = writing.failure { throw failure }
            return result
        }
        commitCount += 1
        if commitCount % Writer.commitsBetweenReaderChecks == 0 {
            try connection.environment.clearStaleReaders()
        }
        return result
    }

    /// Closes the environment, compacts its file and opens it again, even if compacting fails. No read may run.
    func compact(_ progress: WorkProgress.Handler) throws {
        let connection = try writableConnection()
        opened.withLock { $0 = nil }
        connection.environment.close()
        let compacted = Result { try connection.opening.compact(progress) }
        do {
            use(try connection.opening.reopen(connection.openFolder))
        } catch {
            // When both fail, the first error says more.
            try compacted.get()
            throw error
        }
        try compacted.get()
    }

    func close() { closeNow() }

    /// Closes the environment; without a wait for its thread, only when nothing uses the storage any more.
    nonisolated func closeNow() {
        let connection = opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        // The place among the open folders is kept until the environment is closed.
        withExtendedLifetime(connection?.openFolder) { connection?.environment.close() }
    }

    /// - Throws: the reason why the storage cannot be written.
    private func writableConnection() throws -> Connection {
        let connection = try connection()
        if let refusal = connection.refusal { throw refusal }
        return connection
    }
}

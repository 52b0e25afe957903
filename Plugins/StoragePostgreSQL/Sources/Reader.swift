import PatchbayCore

/// A connection for reads, with a thread to wait on. The pool lends it to one task at a time.
///
/// A nearby server answers faster than two threads can switch, so a read runs on the caller's thread as long as
/// reads are quick.
final class Reader {
    private let options: ConnectionOptions
    private let collections: [CollectionSchema]
    private let thread = WaitingThread(label: "patchbay.postgres.reader")
    private let quick = QuickWork()
    private var transaction: ReadTransaction?

    init(_ options: ConnectionOptions, _ collections: [CollectionSchema]) {
        self.options = options
        self.collections = collections
    }

    /// Runs a read in a transaction.
    ///
    /// - Throws: ``ServerError`` when the body has seen no rows yet, so that it can be run again.
    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await waiting { reader in try reader.read(body, in: reader.connected()) }
    }

    /// Runs a query that needs no transaction.
    func ask<Result: Sendable>(_ question: @Sendable (Connection) throws -> Result) async throws -> Result {
        try await waiting { reader in
            let connection = try reader.connected().connection
            do {
                return try question(connection)
            } catch let error as ServerError {
                if error.endsConnection { reader.transaction = nil }
                throw error
            }
        }
    }

    func close() { transaction = nil }

    private func waiting<Result: Sendable>(
        _ work: @Sendable (Reader) throws -> Result
    ) async throws -> Result {
        // Connecting may take long, so it is left to the thread.
        if transaction != nil, let result = try quick.run({ try work(self) }) { return result }
        return try await thread.run { try work(self) }
    }

    private func read<Result>(
        _ body: (any StorageReader) throws -> Result, in transaction: ReadTransaction
    ) throws -> Result {
        transaction.reset()
        defer {
            transaction.end()
            if transaction.failure?.endsConnection == true { self.transaction = nil }
        }
        do {
            return try body(transaction)
        } catch {
            if let failure = transaction.failure, failure.remedy != .none, !transaction.isAnswered {
                throw failure
            }
            throw error
        }
    }

    private func connected() throws -> ReadTransaction {
        if let transaction { return transaction }
        let new = ReadTransaction(collections, try Connection(options, for: .reading))
        transaction = new
        return new
    }
}

// One task at a time uses a reader: the pool takes it out of its list before it lends it.
extension Reader: @unchecked Sendable {}

/// A thread for blocking work.
actor WaitingThread {
    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(label: String) { executor = BlockingExecutor(label: label) }

    func run<Result: Sendable>(_ work: @Sendable () throws -> Result) throws -> Result { try work() }
}

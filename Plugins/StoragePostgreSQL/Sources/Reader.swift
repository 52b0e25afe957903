import PatchbayCore

/// A connection that reads, with a thread to wait on. The pool lends it to one task at a time.
actor Reader {
    private let executor = BlockingExecutor(label: "patchbay.postgres.reader", borrowing: .shared)
    private let options: ConnectionOptions
    private let collections: [CollectionSchema]
    private var transaction: ReadTransaction?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions, _ collections: [CollectionSchema]) {
        self.options = options
        self.collections = collections
    }

    /// Runs what reads.
    ///
    /// - Throws: ``ServerError`` when nothing was read yet, so that another try is as good as the first.
    func read<Result: Sendable>(_ body: @Sendable (any StorageReader) throws -> Result) throws -> Result {
        let transaction = try connected()
        transaction.reset()
        defer {
            transaction.end()
            if transaction.failure?.endsConnection == true { self.transaction = nil }
        }
        do {
            return try body(transaction)
        } catch {
            if let failure = transaction.failure, failure.remedy != .none, !transaction.isAnswered { throw failure }
            throw error
        }
    }

    /// Asks one question that needs no transaction.
    func ask<Result: Sendable>(_ question: @Sendable (Connection) throws -> Result) throws -> Result {
        let transaction = try connected()
        do {
            return try question(transaction.connection)
        } catch let error as ServerError {
            if error.endsConnection { self.transaction = nil }
            throw error
        }
    }

    func close() { transaction = nil }

    private func connected() throws -> ReadTransaction {
        // A server that was started again has closed it.
        if let transaction, transaction.connection.isAlive { return transaction }
        transaction = nil
        let new = ReadTransaction(collections, try Connection(options, for: .reading))
        transaction = new
        return new
    }
}

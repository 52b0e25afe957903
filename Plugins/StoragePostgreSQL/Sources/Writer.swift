import PatchbayCore

/// What has become of a write.
enum WriteOutcome<Result: Sendable>: Sendable {
    case done(Result)
    /// Nothing of it is kept; its body may run again.
    case again(ServerError)
    /// The connection was lost while the server committed; ``Writer/settle(_:)`` finds out.
    case unknown(Result, token: [UInt8], ServerError)
}

/// The connection that writes. Its work waits for locks, the network and other machines' disks, so it has a thread of
/// its own.
actor Writer {
    private let options: ConnectionOptions
    private let executor = BlockingExecutor(label: "patchbay.postgres.writer", borrowing: .shared)
    private var store: OpenedStore?
    private var transaction: WriteTransaction?
    /// Why what is open cannot be written.
    private var writeRefusal: PatchbayError?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Opens the storage as the access allows.
    func open(_ opening: StorageOpening) throws -> OpenedStore {
        let connection = try Connection(options, for: .writing)
        let opened = try StoreOpening(connection, opening).run()
        store = opened.store
        writeRefusal = opened.refusal
        transaction = opened.refusal == nil ? WriteTransaction(opened.store, connection) : nil
        return opened.store
    }

    /// Drops the tables, and the schema when nothing else is in it.
    func erase() throws { try StoreErasure(Connection(options, for: .writing)).run() }

    func close() {
        transaction = nil
        store = nil
        writeRefusal = nil
    }

    /// - Throws: why nothing can be written.
    func checkMayWrite() throws { if let writeRefusal { throw writeRefusal } }

    /// Runs what writes, once.
    ///
    /// - Throws: what `body` throws, and what another try does not change.
    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) throws -> WriteOutcome<Result> {
        try checkMayWrite()
        let transaction: WriteTransaction
        do {
            transaction = try connected()
        } catch let error as ServerError {
            guard error.remedy != .none else { throw error.patchbayError }
            return .again(error)
        }
        transaction.reset()
        let result: Result
        do {
            result = try body(transaction)
            // A body may go on after a call that threw, but not after one that ended the transaction.
            if let failure = transaction.failure { throw failure.patchbayError }
        } catch {
            return try abandon(transaction, error)
        }
        return try commit(transaction, result)
    }

    private func commit<Result: Sendable>(
        _ transaction: WriteTransaction, _ result: Result
    ) throws -> WriteOutcome<Result> {
        var generator = SystemRandomNumberGenerator()
        let token = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        do {
            let revision = try transaction.commit(token)
            if let revision { removeOldCommits(revision, transaction.connection) }
            // The server has it, but was kept from waiting for its standbys.
            guard transaction.connection.isWarned else { return .done(result) }
            let warning = ServerError(
                state: "", message: "a wait for standbys was cut short", server: transaction.connection.server
            )
            return .unknown(result, token: token, warning)
        } catch {
            guard let failure = transaction.failure, failure.endsConnection else {
                return try abandon(transaction, error)
            }
            forget(failure)
            return .unknown(result, token: token, failure)
        }
    }

    /// Ends a transaction that came to nothing.
    ///
    /// - Throws: `error`, unless another try may help.
    private func abandon<Result>(
        _ transaction: WriteTransaction, _ error: any Error
    ) throws -> WriteOutcome<Result> {
        transaction.end()
        guard let failure = transaction.failure else { throw error }
        forget(failure)
        if failure.state == StoreTables.lockRefused { throw try refusal(transaction.connection) }
        if failure.remedy == .none { throw error }
        return .again(failure)
    }

    private func forget(_ failure: ServerError) {
        if failure.endsConnection { transaction = nil }
        if failure.remedy == .unprepared { options.stopPreparing() }
    }

    /// Why the storage does not let itself be locked.
    private func refusal(_ connection: Connection) throws -> PatchbayError {
        let row = try StoreRow(connection)
        guard let store, row.identity == store.identity else { return StoragePlace.hasGone(options.place) }
        return PatchbayError(
            .unsupported,
            "a newer Patchbay has brought the storage to schema \(row.version), past this program's "
                + "\(store.schema.version); start a newer one",
            ["server": connection.server])
    }

    /// Whether the commit with this token was made. When not, it cannot be made any more.
    ///
    /// - Throws: ``ServerError`` when it cannot be found out now.
    func settle(_ token: [UInt8]) throws -> Bool {
        let transaction = try connected()
        transaction.reset()
        do {
            return try transaction.settle(token)
        } catch {
            transaction.end()
            guard let failure = transaction.failure else { throw error }
            forget(failure)
            throw failure
        }
    }

    private func connected() throws -> WriteTransaction {
        guard let store else { throw PatchbayError.storageNotOpen(options.place) }
        // A server that was started again has closed it.
        if let transaction, transaction.connection.isAlive { return transaction }
        transaction = nil
        let new = WriteTransaction(store, try Connection(options, for: .writing))
        transaction = new
        return new
    }

    /// Removes the tokens that no writer looks for any more, now and then.
    private func removeOldCommits(_ revision: Int64, _ connection: Connection) {
        guard revision % StoreTables.commitsBetweenRemovals == 0 else { return }
        var before = Arguments()
        before.append(revision - StoreTables.commitsKept)
        // They only take room; the next time will do.
        try? connection.send(StoreTables.removeCommits(options), before)
        _ = try? connection.finish()
    }
}

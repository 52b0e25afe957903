import PatchbayCore

/// The outcome of a write.
enum WriteOutcome<Result: Sendable>: Sendable {
    case done(Result)
    /// No change was kept; the body may run again.
    ///
    /// - Parameter wasConnected: whether the transaction had a connection.
    case again(ServerError, wasConnected: Bool)
    /// The connection was lost during COMMIT; ``Writer/settle(_:)`` determines the outcome.
    case unknown(Result, token: UInt128, ServerError)
}

/// Owns the connection that writes. Its work waits for locks, the network and the server's disk, so it has a thread
/// of its own.
actor Writer: BlockingActor {
    private let options: ConnectionOptions
    let executor = BlockingExecutor(label: "patchbay.postgres.writer")
    private var store: OpenedStore?
    private var transaction: WriteTransaction?
    /// The greatest revision that a commit of this process has reached.
    private var acknowledged: Int64 = 0
    private var notify: WorkProgress.Handler = { _ in }
    /// The reason why the open storage cannot be written.
    private var writeRefusal: PatchbayError?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Opens the storage with the requested access.
    func open(_ opening: StorageOpening) throws -> OpenedStore {
        guard store == nil else { throw PatchbayError.storageIsOpen() }
        let connection = try Connection(options, for: .writing)
        let opened = try StoreOpening(connection: connection, opening: opening).run()
        store = opened.store
        writeRefusal = opened.refusal
        notify = opening.progress
        acknowledged = 0
        if opened.refusal == nil { try beginTimeline(connection) }
        transaction = opened.refusal == nil ? WriteTransaction(opened.store, connection) : nil
        return opened.store
    }

    /// Drops the tables, and the schema if it contains nothing else.
    func erase() throws { try Connection(options, for: .writing).eraseStore() }

    func close() {
        transaction = nil
        store = nil
        writeRefusal = nil
    }

    /// - Throws: the reason why the storage cannot be written.
    func checkMayWrite() throws { if let writeRefusal { throw writeRefusal } }

    /// Closes the connection until the next write, for readers when the server has no other one for them.
    func disconnect() { transaction = nil }

    /// Runs a write once.
    ///
    /// - Throws: the error of `body`, and errors that another attempt would not avoid.
    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) throws -> WriteOutcome<Result> {
        try checkMayWrite()
        let transaction: WriteTransaction
        do {
            transaction = try connected()
        } catch let error as ServerError {
            guard error.remedy != .none else { throw error.patchbayError }
            return .again(error, wasConnected: false)
        }
        transaction.reset()
        let result: Result
        do {
            result = try body(transaction)
            // A body may continue after a call that threw, but not if the transaction has ended.
            if let failure = transaction.failure { throw failure.patchbayError }
        } catch {
            return try abandon(transaction, error)
        }
        return try commit(transaction, result)
    }

    private func commit<Result: Sendable>(
        _ transaction: WriteTransaction, _ result: Result
    ) throws -> WriteOutcome<Result> {
        let token = UInt128.random(in: 0...(.max))
        do {
            let revision = try transaction.commit(token)
            if let revision {
                acknowledged = revision
                removeOldCommits(revision, transaction.connection)
            }
            // The commit took effect, but the server stopped waiting for its standbys.
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

    /// Ends a failed transaction.
    ///
    /// - Throws: `error`, unless another attempt may help.
    private func abandon<Result>(
        _ transaction: WriteTransaction, _ error: any Error
    ) throws -> WriteOutcome<Result> {
        transaction.end()
        guard let failure = transaction.failure else { throw error }
        forget(failure)
        if failure.state == StoreTables.lockRefused { throw try refusal(transaction.connection) }
        if failure.remedy == .none { throw error }
        return .again(failure, wasConnected: true)
    }

    private func forget(_ failure: ServerError) {
        if failure.endsConnection { transaction = nil }
        if failure.remedy == .unprepared { options.stopPreparing() }
    }

    /// Returns why the storage cannot be locked.
    private func refusal(_ connection: Connection) throws -> PatchbayError {
        let row = try StoreRow(connection)
        guard let store, row.identity == store.identity else { return StoragePlace.removed(options.place) }
        return PatchbayError(
            .unsupported,
            "a newer Patchbay has migrated the storage to schema \(row.version); this program supports up to "
                + "\(store.schema.version); use a newer one",
            [.server(connection.server)])
    }

    /// Returns whether the commit with this token took effect. If not, it cannot take effect any more.
    ///
    /// - Throws: ``ServerError`` when the outcome cannot be determined now.
    func settle(_ token: UInt128) throws -> Bool {
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
        guard let store else { throw options.notOpen }
        // A server that was restarted has closed the connection.
        if let transaction, transaction.connection.isAlive { return transaction }
        transaction = nil
        let connection = try Connection(options, for: .writing)
        try beginTimeline(connection)
        let new = WriteTransaction(store, connection)
        transaction = new
        return new
    }

    /// Notices a failover since the last commit, from which revisions and change numbers of a new timeline are given,
    /// and reports what may be missing: once for each failover, and again in a process whose commits are missing.
    private func beginTimeline(_ connection: Connection) throws(ServerError) {
        guard options.knowsTimeline else { return }
        let answer: Answer
        do throws(ServerError) {
            answer = try connection.query(StoreTables.beginTimeline(options))
        } catch  where error.remedy == .none {
            // The server does not accept writes any more, and the next write reports that.
            return
        }
        if answer.rowCount > 0 { return notifyOfFailover(after: answer.integer(0, 0)) }
        guard acknowledged > 0 else { return }
        // Another process may have been the first to notice, or the servers have gone back to an older timeline.
        let present = try connection.query("SELECT revision FROM \(options.qualified(StoreTables.store))")
        guard present.rowCount == 1 else { return }
        let revision = present.integer(0, 0), shift = StoreTables.countBits
        if revision >> shift != acknowledged >> shift || revision < acknowledged {
            notifyOfFailover(after: revision)
        }
    }

    /// - Parameter revision: the last one from before the failover that is still there.
    private func notifyOfFailover(after revision: Int64) {
        let isSameTimeline = revision >> StoreTables.countBits == acknowledged >> StoreTables.countBits
        let lost = isSameTimeline ? acknowledged - revision : 0
        acknowledged = 0
        let known =
            lost > 0 ? "\(lost) acknowledged commits are missing" : "the newest commits may be missing"
        notify(
            WorkProgress(
                notice: "the PostgreSQL server has failed over since the last write; unless it replicates "
                    + "synchronously, \(known): rows, which a sync fetches again, and edits and favourites, which it "
                    + "does not"))
    }

    /// Occasionally removes tokens that no writer looks for any more.
    private func removeOldCommits(_ revision: Int64, _ connection: Connection) {
        let before = revision - StoreTables.commitsKept
        // Tokens of another timeline are kept as long as the others.
        guard revision % StoreTables.commitsBetweenRemovals == 0,
            before >> StoreTables.countBits == revision >> StoreTables.countBits
        else { return }
        // A failure does no harm; the tokens are removed the next time.
        try? connection.send(StoreTables.removeCommits(options), Arguments(before))
        _ = try? connection.finish()
    }
}

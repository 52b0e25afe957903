import PatchbayCore

/// Owns the connection that writes. Its work waits for locks and for the disk, so it has a thread of its own.
actor Writer: BlockingActor {
    private let options: ConnectionOptions
    let executor = BlockingExecutor(label: "patchbay.sqlite.writer")
    /// Created when the log first grows large.
    private var checkpointer: Checkpointer?
    private var connection: Connection?
    private var transaction: WriteTransaction?
    /// The reason why the open database cannot be written.
    private var refusal: PatchbayError?
    /// The number of pages in the log when a checkpoint was last requested.
    private var checkedAtPages = 0
    /// The number of commits since then.
    private var commits = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Opens the file with the requested access.
    func open(_ opening: StorageOpening) throws -> OpenedDatabase {
        let opened = try DatabaseOpening(options, opening).run()
        refusal = opened.refusal
        guard let connection = opened.connection else { return opened.database }
        transaction = try WriteTransaction(
            opened.database.schema.collections, on: connection,
            StorageIdentity(opened.database.identity, options.durability))
        self.connection = connection
        checkedAtPages = 0
        watchLog(connection)
        return opened.database
    }

    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) throws -> Result {
        let connection = try openConnection()
        guard let transaction else { throw PatchbayError.storageNotOpen(options.path) }
        try transaction.begin()
        do {
            let result = try body(transaction)
            try transaction.commit()
            watchLog(connection)
            return result
        } catch {
            try transaction.rollBack()
            throw error
        }
    }

    /// Rewrites the database without its free pages, and empties the log.
    func compact(_ progress: WorkProgress.Handler) throws {
        let connection = try openConnection()
        try connection.withLargeCache {
            try connection.reporting(progress, of: "rewriting the database") {
                try connection.execute("VACUUM")
            }
        }
        checkedAtPages = 0
        try connection.emptyLog()
    }

    /// Returns SQLite's settings of the writing connection, or of a reading one when the database is read-only.
    func settings(_ options: ConnectionOptions) throws -> [StorageDescription.Setting] {
        if let connection { return try connection.settings() }
        return try options.reading { try $0.connectForMaintenance().settings() }
    }

    /// - Throws: the reason why the database cannot be written.
    private func openConnection() throws -> Connection {
        if let refusal { throw refusal }
        guard let connection else { throw PatchbayError.storageNotOpen(options.path) }
        return connection
    }

    /// Moves the log into the database and closes the connection. If the disk is too full for that, the log keeps
    /// every row and a later close moves it.
    func close() async throws {
        await checkpointer?.close()
        checkpointer = nil
        refusal = nil
        guard let connection else { return }
        transaction = nil
        self.connection = nil
        do {
            try connection.checkpoint()
        } catch let error as PatchbayError where error.code == .storageFull {
            // No row is lost, and a process that only reads should not fail because of this.
        }
    }

    /// Requests a checkpoint, on another thread, when the log has grown.
    private func watchLog(_ connection: Connection) {
        let pages = connection.logPages
        commits += 1
        if pages < checkedAtPages { checkedAtPages = 0 }
        let growth = commits >= Checkpointer.commitsMin ? Checkpointer.logPagesMin : Checkpointer.logPages
        guard pages >= min(checkedAtPages + growth, Checkpointer.logPagesMax) else { return }
        checkedAtPages = pages
        commits = 0
        if pages < Checkpointer.logPagesMax {
            let checkpointer = checkpointer ?? Checkpointer(options)
            self.checkpointer = checkpointer
            checkpointer.request(by: self)
        } else {
            Task { self.checkpoint() }
        }
    }

    /// Moves the log into the database while no write is open, so that the log starts again at its beginning.
    func checkpoint() {
        // Pages that cannot be moved stay in the log, and later commits try again; `close` reports the error.
        _ = try? connection?.checkpoint()
    }
}

extension Connection {
    /// Returns the effective values of SQLite's settings.
    fileprivate func settings() throws -> [StorageDescription.Setting] {
        let names = [
            "journal_mode", "synchronous", "page_size", "page_count", "freelist_count", "cache_size",
            "secure_delete", "busy_timeout", "wal_autocheckpoint", "journal_size_limit", "encoding",
            "user_version",
        ]
        let levels = ["0": "off", "1": "normal", "2": "full", "3": "extra"]
        return try names.map { name in
            let value = try text("PRAGMA \(name)")
            return StorageDescription.Setting(name, name == "synchronous" ? levels[value] ?? value : value)
        }
    }
}

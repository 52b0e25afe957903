import PatchbayCore
import Synchronization

/// Owns the connection that writes. Its work waits for locks and for the disk, so it has a thread of its own.
actor Writer: BlockingActor {
    private let options: ConnectionOptions
    let executor = BlockingExecutor(label: "patchbay.sqlite.writer")
    /// Created when the log first grows large.
    private var checkpointer: Checkpointer?
    /// The open database; nil when it is closed.
    private var database: OpenedDatabase?
    /// Opened for the first write, because many programs only read.
    private var connection: Connection?
    private var transaction: WriteTransaction?
    /// The connection that opened the database, for the first reader.
    nonisolated let firstConnection = FirstConnection()
    /// The reason why the open database cannot be written.
    private var refusal: PatchbayError?
    /// The number of pages in the log when a checkpoint was last requested.
    private var checkedAtPages = 0
    /// The number of commits since then.
    private var commits = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Opens the file with the requested access.
    ///
    /// - Parameter isShort: whether to throw ``PatchbayCore/TakesLong`` instead of waiting, creating or migrating.
    func open(_ opening: StorageOpening, isShort: Bool = false) throws -> OpenedDatabase {
        guard database == nil else { throw PatchbayError.storageIsOpen(options.path) }
        let opened = try DatabaseOpening(options, opening, isShort: isShort).run()
        refusal = opened.refusal
        database = opened.database
        firstConnection.keep(opened.connection)
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
        guard refusal != nil else { return try openConnection().settings() }
        return try options.reading { try $0.connectForMaintenance().settings() }
    }

    /// - Throws: the reason why the database cannot be written.
    private func openConnection() throws -> Connection {
        if let refusal { throw refusal }
        if let connection { return connection }
        guard let database else { throw PatchbayError.storageNotOpen(options.path) }
        let connection = try database.options.connectForWriting()
        let transaction = try WriteTransaction(
            database.schema.collections, on: connection,
            StorageIdentity(database.identity, options.durability))
        // Looked up once more, now that the file is open.
        if database.isRemoved { throw StoragePlace.removed(options.path) }
        self.connection = connection
        self.transaction = transaction
        checkedAtPages = 0
        watchLog(connection)
        return connection
    }

    /// Moves the log into the database and closes the connection. If the disk is too full for that, or another process
    /// has the database open, the log keeps every row and a later close moves it.
    func close() async throws {
        await checkpointer?.close()
        checkpointer = nil
        firstConnection.keep(nil)
        defer { (refusal, database) = (nil, nil) }
        // An earlier process may have left a log.
        if connection == nil, refusal == nil, let database, !database.isRemoved, try database.hasLog {
            _ = try openConnection()
        }
        guard let connection else { return }
        transaction = nil
        self.connection = nil
        // SQLite itself moves a short log when the last connection is closed. A reader of the database alone prevents
        // that, but not this checkpoint.
        guard connection.logPages >= Checkpointer.logPagesMin else { return }
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

/// A connection that the first one to ask for it gets.
final class FirstConnection: Sendable {
    /// Unchecked: the connection is not used before it is taken.
    private struct Kept: @unchecked Sendable { var connection: Connection? }

    private let kept = Mutex(Kept())

    func keep(_ connection: Connection?) {
        let kept = Kept(connection: connection)
        self.kept.withLock { $0 = kept }
    }

    func take() -> Connection? {
        kept.withLock { kept in
            defer { kept.connection = nil }
            return kept
        }.connection
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

import PatchbayCore

/// The connection that writes. Its work waits for locks and for the disk, so it has a thread of its own.
actor Writer {
    private let options: ConnectionOptions
    private let executor = BlockingExecutor(label: "patchbay.sqlite.writer", borrowing: .shared)
    /// Made when the log has grown for the first time.
    private var checkpointer: Checkpointer?
    private var connection: Connection?
    private var transaction: WriteTransaction?
    /// The log's pages when somebody was last asked to empty it.
    private var askedAtPages = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Opens the file and creates or migrates what the schema asks for.
    ///
    /// - Returns: the absolute path.
    func open(_ schema: Schema, _ progress: @escaping WorkProgress.Handler) throws -> String {
        let file = DatabaseFile(path: options.path)
        let isNew = try file.isNew()
        if !isNew { try file.checkOwner() }
        let connection = try options.connectForWriting(creates: isNew)
        guard !connection.isReadOnly else {
            throw PatchbayError(
                .permissionDenied, "the file can be read but not written; check its permissions",
                ["file": options.path])
        }
        try SchemaUpgrade(options: options, connection: connection, schema: schema, progress: progress).run()
        if isNew { try file.synchronizeFolder() }
        transaction = try WriteTransaction(schema.collections, connection)
        self.connection = connection
        askedAtPages = 0
        watchLog(connection)
        return connection.absolutePath
    }

    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) throws -> Result {
        guard let connection, let transaction else { throw PatchbayError.storageNotOpen(options.path) }
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

    /// Rewrites the database without free pages, and empties the log.
    func compact(_ progress: WorkProgress.Handler) throws {
        guard let connection else { throw PatchbayError.storageNotOpen(options.path) }
        try connection.withLargeCache {
            try connection.telling(progress, of: "rewriting the database") {
                try connection.execute("VACUUM")
            }
        }
        askedAtPages = 0
        try connection.emptyLog()
    }

    /// What the connection that writes says of its settings.
    func settings() throws -> [StorageDescription.Setting] {
        guard let connection else { throw PatchbayError.storageNotOpen(options.path) }
        let names = [
            "journal_mode", "synchronous", "page_size", "page_count", "freelist_count", "cache_size",
            "secure_delete", "busy_timeout", "wal_autocheckpoint", "journal_size_limit", "encoding",
            "user_version",
        ]
        return try names.map { name in
            let value = try connection.text("PRAGMA \(name)")
            return StorageDescription.Setting(name, name == "synchronous" ? levelName(value) : value)
        }
    }

    /// Moves the log into the database and closes the connection. Without room for that the log stays, with every row
    /// in it: a later close moves it.
    func close() async throws {
        await checkpointer?.close()
        checkpointer = nil
        guard let connection else { return }
        transaction = nil
        self.connection = nil
        do {
            try connection.checkpoint()
        } catch let error as PatchbayError where error.code == .storageFull {
            // Nothing is lost, and who only reads is not to fail for it.
        }
    }

    /// Has the log emptied when it has grown, after the commit and on another thread.
    private func watchLog(_ connection: Connection) {
        let pages = connection.logPages
        if pages < askedAtPages { askedAtPages = 0 }
        guard pages >= min(askedAtPages + Checkpointer.logPages, Checkpointer.logPagesMax) else { return }
        askedAtPages = pages
        if pages < Checkpointer.logPagesMax {
            let checkpointer = checkpointer ?? Checkpointer(options)
            self.checkpointer = checkpointer
            checkpointer.request(by: self)
        } else {
            Task { self.checkpoint() }
        }
    }

    /// Moves the log into the database while nothing is written, so that it begins anew.
    func checkpoint() {
        // What cannot be moved stays in the log, and the next commits ask again; `close` tells the error.
        _ = try? connection?.checkpoint()
    }

    private func levelName(_ number: String) -> String {
        ["0": "off", "1": "normal", "2": "full", "3": "extra"][number] ?? number
    }
}

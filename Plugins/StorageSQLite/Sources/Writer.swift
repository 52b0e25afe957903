import PatchbayCore

/// The connection that writes. Its work waits for locks and for the disk, so it has a thread of its own.
actor Writer {
    private let options: ConnectionOptions
    private let executor = BlockingExecutor(label: "patchbay.sqlite.writer", borrowing: .shared)
    private var connection: Connection?
    private var transaction: WriteTransaction?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Opens the file and creates or migrates what the schema asks for.
    ///
    /// - Returns: the absolute path.
    func open(_ schema: Schema) throws -> String {
        let file = DatabaseFile(path: options.path)
        let isNew = try file.isNew()
        if !isNew { try file.checkOwner() }
        let connection = try options.connect(creates: isNew)
        guard !connection.isReadOnly else {
            throw PatchbayError(
                .permissionDenied, "the file can be read but not written; check its permissions",
                ["file": options.path])
        }
        try SchemaUpgrade(connection: connection, file: file, schema: schema).run()
        if isNew { try file.synchronizeFolder() }
        try options.prepareForWriting(connection)
        transaction = try WriteTransaction(schema.collections, connection)
        self.connection = connection
        return connection.absolutePath
    }

    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) throws -> Result {
        guard let transaction else { throw PatchbayError.notOpen(options.path) }
        try transaction.begin()
        do {
            let result = try body(transaction)
            try transaction.commit()
            return result
        } catch {
            try transaction.rollBack()
            throw error
        }
    }

    /// Moves the log into the database and closes the connection.
    func close() throws {
        guard let connection else { return }
        transaction = nil
        self.connection = nil
        try connection.checkpoint()
    }
}

extension PatchbayError {
    static func notOpen(_ path: String) -> PatchbayError {
        PatchbayError(.unsupported, "the storage is not open; open it first", ["file": path])
    }
}

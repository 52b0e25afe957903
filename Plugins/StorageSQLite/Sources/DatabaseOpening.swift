import PatchbayCore
import PatchbaySystem

/// An open database.
struct OpenedDatabase: Sendable {
    let options: ConnectionOptions
    /// All stored collections.
    let schema: Schema
    let identity: FileStatus.Identity

    /// Whether the file was removed or replaced.
    var isRemoved: Bool {
        // An error here does not mean that the file is gone; a read will report it.
        guard let status = try? DatabaseFile(path: options.path).status("") else {
            return (try? StoragePlace(at: options.path)) == .nothing
        }
        return status.identity != identity
    }

    /// Whether there is a log with pages that are not in the database.
    var hasLog: Bool {
        get throws { try DatabaseFile(path: options.path).log != nil }
    }
}

/// Opens a database as far as the access and the file system allow.
struct DatabaseOpening {
    /// An open database, which can only be read when `refusal` is the reason why it cannot be written.
    struct Result {
        let database: OpenedDatabase
        /// The connection that looked at the database, for its first reader.
        var connection: Connection?
        var refusal: PatchbayError?
    }

    private var options: ConnectionOptions
    private let opening: StorageOpening
    /// Whether to throw ``PatchbayCore/TakesLong`` instead of waiting, creating or migrating.
    private let isShort: Bool

    init(_ options: ConnectionOptions, _ opening: StorageOpening, isShort: Bool = false) {
        self.options = options
        self.opening = opening
        self.isShort = isShort
    }

    func run() throws -> Result {
        let file = DatabaseFile(path: options.path)
        if try !file.isThere() {
            if isShort { throw TakesLong() }
            guard opening.access == .creating, opening.schema != nil else {
                throw StoragePlace.notFound(options.path)
            }
            try StoragePlace.checkMayBeMade(at: options.path)
            try file.inFolder(String(file.name)).checkLength()
            try create(file)
        }
        var opening = self
        opening.options.path = try file.resolved().path
        let resolved = DatabaseFile(path: opening.options.path)
        try resolved.checkLength()
        try resolved.checkOwner()
        return try opening.openExisting()
    }

    private func openExisting() throws -> Result {
        guard opening.access != .reading else {
            return try openForReading(StoragePlace.openForReading(options.path))
        }
        do {
            return try openForWriting()
        } catch {
            return try StorageOpening.read(after: error, openForReading)
        }
    }

    private func openForWriting() throws -> Result {
        try DatabaseFile(path: options.path).checkNamesBeside()
        let connection = try options.connect()
        guard !connection.isReadOnly else {
            throw PatchbayError(
                .permissionDenied, "the file can be read but not written; check its permissions",
                [.file(options.path)])
        }
        if isShort { connection.wait(upTo: 0) }
        if let schema = try upgrade(connection).schemaWithoutChange() {
            connection.wait(upTo: options.busyTimeoutMilliseconds)
            return Result(database: try opened(options, schema), connection: connection)
        }
        if isShort { throw TakesLong() }
        try options.prepareForWriting(connection)
        let schema = try upgrade(connection).run()
        return Result(database: try opened(options, schema), connection: connection)
    }

    private func openForReading(_ refusal: PatchbayError) throws -> Result {
        var options = options
        options.reach = .alone
        let stored = try options.reading { options in
            let connection = try options.connectForMaintenance()
            try connection.execute("BEGIN")
            let stored = try StoredSchema(connection, expecting: opening.schema)
            if stored.isForeign { throw DatabaseFile(path: options.path).foreign }
            try stored.checkObjects()
            return stored.schema
        }
        try opening.schema?.checkReads(stored)
        let schema = opening.schema?.joined(with: stored.collections) ?? stored
        return Result(database: try opened(options, schema), refusal: refusal)
    }

    private func opened(_ options: ConnectionOptions, _ schema: Schema) throws -> OpenedDatabase {
        guard let status = try DatabaseFile(path: options.path).status("") else {
            throw StoragePlace.removed(options.path)
        }
        return OpenedDatabase(options: options, schema: schema, identity: status.identity)
    }

    /// Creates the database under a temporary name, so that its final name never refers to an incomplete one.
    private func create(_ file: DatabaseFile) throws {
        let aside = try file.createUnnamed()
        defer { aside.removeAll() }
        do {
            var options = options
            options.path = aside.path
            let connection = try options.connectForWriting()
            _ = try upgrade(connection, options).run()
            // Closing would do the same, but without an error when the disk is full.
            try connection.emptyLog()
        } catch let error as PatchbayError {
            throw PatchbayError(error.code, error.message, [.file(file.path)]).adding(error.details)
        }
        try aside.synchronize()
        // If another process was faster, its database is opened.
        if try aside.moveToNew(file) { try file.synchronizeFolder() }
    }

    private func upgrade(_ connection: Connection, _ aside: ConnectionOptions? = nil) -> SchemaUpgrade {
        SchemaUpgrade(
            options: aside ?? options, connection: connection, schema: opening.schema,
            progress: opening.progress)
    }
}

import CLMDB
import PatchbayCore

/// Opens a storage: creates it when it is not there, checks it, brings its schema up to date.
struct Opening: Sendable {
    let path: String
    let durability: Durability
    let bytesMax: Int
    let busyTimeoutMilliseconds: Int
    let opening: StorageOpening

    private var folder: Folder { Folder(path: path) }

    /// Opens as far as the access and the file system allow.
    func run() throws -> Connection {
        switch try StoragePlace(at: path) {
        case .folder: break
        case .file:
            throw PatchbayError(
                .invalidConfiguration, "\"\(path)\" is a file, where LMDB needs a folder; set another path")
        case .nothing:
            guard mayCreate else { throw StoragePlace.notFound(path) }
            try StoragePlace.checkMayBeMade(at: path)
        }
        guard opening.access != .reading else {
            return try openForReading(StoragePlace.openForReading(path))
        }
        do {
            return try openForWriting()
        } catch {
            return try StorageOpening.read(after: error, openForReading)
        }
    }

    private var mayCreate: Bool { opening.access == .creating && opening.schema != nil }

    /// Other processes that open the folder wait meanwhile.
    private func openForWriting() throws -> Connection {
        let lock = try folder.prepare(
            busyTimeoutMilliseconds, mayCreate ? { try createEnvironment(in: $0, opening.schema!) } : nil)
        defer { lock.end() }
        return try registered { try connect($0, nil) }
    }

    /// Nothing is made, cleared or changed.
    private func openForReading(_ refusal: PatchbayError) throws -> Connection {
        guard try folder.isReady() else { throw StoragePlace.notFound(path) }
        let lock = try folder.lock(busyTimeoutMilliseconds, isShared: true)
        defer { lock.end() }
        return try registered { try connect($0, refusal) }
    }

    private func registered(
        _ body: (OpenFolders.Registration) throws -> Connection
    ) throws -> Connection {
        let registration = try OpenFolders.register(path)
        do {
            return try body(registration)
        } catch {
            registration.end()
            throw error
        }
    }

    /// Opens again what this process has open, after its file was replaced.
    func reopen(_ registration: OpenFolders.Registration) throws -> Connection {
        let lock = try folder.lock(busyTimeoutMilliseconds)
        defer { lock.end() }
        return try connect(registration, nil)
    }

    /// `normal`: a commit's data is synced before its header page, which the next commit syncs; so a power
    /// cut undoes the last commit at most and leaves the one before whole.
    private var flags: Int32 {
        switch durability {
        case .full: 0
        case .normal: MDB_NOMETASYNC
        case .off: MDB_NOSYNC
        }
    }

    /// Makes a new environment with the schema, on the disk when this returns.
    private func createEnvironment(in folder: String, _ schema: Schema) throws {
        let environment = try environment(at: folder, flags: 0)
        defer { environment.close() }
        let transaction = try Transaction(environment, isWriting: true)
        do {
            for collection in schema.collections { _ = try Table(collection, transaction, isCreating: true) }
            try StoredSchema(version: schema.version, collections: schema.collections).save(transaction)
        } catch {
            transaction.abort()
            throw error
        }
        try transaction.commit()
    }

    private func environment(at path: String, flags: Int32) throws -> Environment {
        try Environment(
            path: path, flags: flags, bytesMax: bytesMax, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
    }

    /// - Parameter refusal: why nothing is to be written; nil when it may be.
    private func connect(
        _ registration: OpenFolders.Registration, _ refusal: PatchbayError?
    ) throws -> Connection {
        let header = try Header(file: folder.data)
        let environment = try refusal == nil ? environment(at: path, flags: flags) : environmentForReading()
        do {
            if refusal == nil { try environment.clearStaleReaders() }
            return try connect(environment, header, registration, refusal)
        } catch {
            environment.close()
            throw error
        }
    }

    /// Beside other processes it takes a place among the readers, which keeps the pages that it sees. Where nobody has
    /// the folder open, or lock.mdb cannot be written, it takes none and writes nothing; each read looks afterwards
    /// whether a writer has come.
    private func environmentForReading() throws -> Environment {
        if folder.isInUse() {
            do {
                return try environment(at: path, flags: MDB_RDONLY)
            } catch let error as PatchbayError where error.code == .permissionDenied {}
        }
        return try environment(at: path, flags: MDB_RDONLY | MDB_NOLOCK)
    }

    private func connect(
        _ environment: Environment, _ header: Header, _ registration: OpenFolders.Registration,
        _ refusal: PatchbayError?
    ) throws -> Connection {
        let reading = try Transaction(environment, isWriting: false)
        var record: [UInt8]
        var tables: Tables?
        let schema: Schema
        do {
            try header.checkLength(try environment.map.currentFileBytes(), reading.snapshot)
            record = try StoredSchema.load(reading)
            let stored = try stored(record)
            schema = opening.schema?.joined(with: stored.collections) ?? stored.schema
            if refusal != nil {
                try opening.schema?.checkReads(stored.schema)
                tables = try Tables(schema, reading)
            } else if try stored.leftovers(reading.snapshot).isEmpty,
                try Upgrade(from: stored, to: schema).isNothing
            {
                tables = try Tables(schema, reading)
            }
        } catch {
            reading.abort()
            throw error
        }
        try reading.commit()
        if tables == nil { (record, tables) = try upgrade(environment, schema) }
        return Connection(
            environment, tables!, schema, schemaRecord: record, registration, refusal: refusal)
    }

    /// Nearly always what is wanted, and then not parsed.
    private func stored(_ record: [UInt8]) throws -> StoredSchema {
        let wanted = opening.schema.map { StoredSchema(version: $0.version, collections: $0.collections) }
        if let wanted, record == wanted.record { return wanted }
        return try StoredSchema(record: record, path: path)
    }

    /// Brings the schema up to date; begins again when another process, which had the storage open already,
    /// has written in between.
    private func upgrade(_ environment: Environment, _ schema: Schema) throws -> ([UInt8], Tables) {
        for _ in 0..<SchemaChange.attemptsMax {
            do {
                return try SchemaChange(environment, schema, opening.progress).run()
            } catch is WriteSeries.Interrupted {}
        }
        throw PatchbayError(
            .busy,
            "another process keeps writing to the storage \"\(path)\" while its schema is brought "
                + "up to date; end that process and try again")
    }
}

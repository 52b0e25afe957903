import CLMDB
import PatchbayCore

/// Opens a storage: creates it if it is missing, checks it, and brings its schema up to date.
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

    /// Opens without creating, clearing or changing anything.
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

    /// Opens a storage of this process again, after its file was replaced.
    func reopen(_ registration: OpenFolders.Registration) throws -> Connection {
        let lock = try folder.lock(busyTimeoutMilliseconds)
        defer { lock.end() }
        return try connect(registration, nil)
    }

    /// Replaces data.mdb with a copy without free pages.
    func compact(_ progress: WorkProgress.Handler) throws {
        try Compaction(folder: folder, busyTimeoutMilliseconds: busyTimeoutMilliseconds).run(progress)
    }

    /// With `normal`, a commit syncs its data, and the next commit syncs its header page. A power cut thus undoes at
    /// most the last commit and leaves the previous one whole.
    private var flags: Int32 {
        switch durability {
        case .full: 0
        case .normal: MDB_NOMETASYNC
        case .off: MDB_NOSYNC
        }
    }

    /// Creates an environment with the schema, which is on the disk when this returns.
    private func createEnvironment(in folder: String, _ schema: Schema) throws {
        let environment = try environment(at: folder, flags: 0)
        defer { environment.close() }
        try Transaction.run(environment, isWriting: true) { transaction in
            for collection in schema.collections { _ = try Table(collection, transaction, isCreating: true) }
            try StoredSchema(version: schema.version, collections: schema.collections).save(transaction)
        }
    }

    private func environment(at path: String, flags: Int32) throws -> Environment {
        try Environment(
            path: path, flags: flags, bytesMax: bytesMax, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
    }

    /// - Parameter refusal: the reason to refuse writes, or nil.
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

    /// Opens an environment for reading. When other processes have it open, reads take a place among the readers, which
    /// protects the pages they see. When no process has the folder open, or lock.mdb cannot be written, they take no
    /// place and write nothing; each read then checks afterwards whether a writer has come.
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
        typealias State = (record: [UInt8], schema: Schema, tables: Tables<Table>?)
        let state = try Transaction.run(environment, isWriting: false) { reading -> State in
            try header.checkLength(try environment.map.currentFileBytes(), reading.snapshot)
            let record = try StoredSchema.load(reading)
            let stored = try stored(record)
            let schema = opening.schema?.joined(with: stored.collections) ?? stored.schema
            if refusal != nil {
                try opening.schema?.checkReads(stored.schema)
            } else if try !stored.leftovers(reading.snapshot).isEmpty
                || !Upgrade(from: stored, to: schema).isNothing
            {
                return (record, schema, nil)
            }
            return (record, schema, try Table.open(schema, reading))
        }
        let (record, tables) =
            if let tables = state.tables { (state.record, tables) } else {
                try SchemaChange(environment, state.schema, opening.progress).run()
            }
        return Connection(environment, tables, state.schema, record, self, registration, refusal: refusal)
    }

    /// Parses the record, unless it is that of the wanted schema, as it nearly always is.
    private func stored(_ record: [UInt8]) throws -> StoredSchema {
        let wanted = opening.schema.map { StoredSchema(version: $0.version, collections: $0.collections) }
        if let wanted, record == wanted.record { return wanted }
        return try StoredSchema(record: record, path: path)
    }
}

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
        let create = mayCreate ? { try createEnvironment(in: $0, opening.schema!) } : nil
        return try folder.prepared(busyTimeoutMilliseconds, create) {
            try connect(try OpenFolders.register(path), nil)
        }
    }

    /// Opens without creating, clearing or changing anything.
    private func openForReading(_ refusal: PatchbayError) throws -> Connection {
        guard try folder.isReady() else { throw StoragePlace.notFound(path) }
        return try folder.locked(busyTimeoutMilliseconds, isShared: true) {
            try connect(try OpenFolders.register(path), refusal)
        }
    }

    /// Opens a storage of this process again, after its file was replaced.
    func reopen(_ registration: OpenFolders.Registration) throws -> Connection {
        try folder.locked(busyTimeoutMilliseconds) { try connect(registration, nil) }
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
            try StoredSchema(schema).save(transaction)
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
        typealias State = (stored: StoredSchema, schema: Schema, tables: Tables<Table>?)
        let state = try Transaction.run(environment, isWriting: false) { reading -> State in
            try header.checkLength(try environment.map.fileStatus().bytes, reading.snapshot)
            let stored = try StoredSchema.load(reading, expecting: opening.schema.map { StoredSchema($0) })
            let schema = opening.schema?.joined(with: stored.schema.collections) ?? stored.schema
            if refusal != nil {
                try opening.schema?.checkReads(stored.schema)
            } else if try !stored.leftovers(reading.snapshot).isEmpty
                || !Upgrade(from: stored.schema, to: schema).isNothing
            {
                return (stored, schema, nil)
            }
            return (stored, schema, try Table.open(schema, reading))
        }
        let (stored, tables) =
            if let tables = state.tables { (state.stored, tables) } else {
                try SchemaChange(environment, state.schema, opening.progress).run()
            }
        return Connection(environment, tables, state.schema, stored, self, registration, refusal: refusal)
    }
}

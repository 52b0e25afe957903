import CLMDB
import PatchbayCore
import PatchbaySystem

/// Opens a storage: creates it if it is missing, checks it, and brings its schema up to date.
struct Opening: Sendable {
    let path: String
    let durability: Durability
    let bytesMax: Int
    let busyTimeoutMilliseconds: Int
    let opening: StorageOpening
    /// Whether to throw ``PatchbayCore/TakesLong`` instead of waiting, creating or migrating.
    var isShort = false

    /// The same as far as it takes no time.
    var short: Opening {
        var short = self
        short.isShort = true
        return short
    }

    private var patienceMilliseconds: Int { isShort ? 0 : busyTimeoutMilliseconds }

    var folder: Folder { Folder(path: path) }

    /// Opens as far as the access and the file system allow.
    func run() throws -> Connection {
        if try !StoragePlace.isFolder(at: path) {
            if isShort { throw TakesLong() }
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
        let create = mayCreate && !isShort ? { try createEnvironment(in: $0, opening.schema!) } : nil
        return try folder.prepared(patienceMilliseconds, create) {
            try connect(try OpenFolder(path), nil)
        }
    }

    /// Opens without creating, clearing or changing anything.
    private func openForReading(_ refusal: PatchbayError) throws -> Connection {
        guard try folder.isReady() else { throw StoragePlace.notFound(path) }
        return try folder.locked(patienceMilliseconds, isShared: true) {
            try connect(try OpenFolder(path), refusal)
        }
    }

    /// Opens a storage of this process again, after its file was replaced.
    func reopen(_ openFolder: OpenFolder) throws -> Connection {
        try folder.locked(busyTimeoutMilliseconds) { try connect(openFolder, nil) }
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
    private func connect(_ openFolder: OpenFolder, _ refusal: PatchbayError?) throws -> Connection {
        let header = try Header(file: folder.data)
        let environment = try refusal == nil ? environment(at: path, flags: flags) : environmentForReading()
        do {
            if refusal == nil { try environment.clearStaleReaders() }
            return try connect(environment, header, openFolder, refusal)
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
        _ environment: Environment, _ header: Header, _ openFolder: OpenFolder, _ refusal: PatchbayError?
    ) throws -> Connection {
        func tables(_ schema: Schema, _ reading: Transaction) throws -> Tables<Table> {
            try Tables(schema.collections) { try Table($0, reading, isCreating: false) }
        }
        let (found, schema, known) = try Transaction.run(environment, isWriting: false) { reading in
            try header.checkLength(environment.map, reading.snapshot)
            let found = try StoredSchema.load(reading, expecting: opening.schema.map { StoredSchema($0) })
            let schema = opening.schema?.joined(with: found.schema.collections) ?? found.schema
            if refusal != nil { try opening.schema?.checkReads(found.schema) }
            let isUsable =
                try refusal != nil
                || found.isTidy(reading.snapshot) && schema.changes(from: found.schema).isEmpty
            return (found, schema, isUsable ? try tables(schema, reading) : nil)
        }
        var stored = found
        if known == nil {
            if isShort { throw TakesLong() }
            stored = try SchemaUpgrade(environment: environment, schema: schema, progress: opening.progress)
                .run()
        }
        let tables =
            try known
            ?? Transaction.run(environment, isWriting: false) { try tables(schema, $0) }
        var again = self
        again.isShort = false
        return Connection(
            environment: environment, tables: tables, schema: schema, storedSchema: stored, opening: again,
            openFolder: openFolder, refusal: refusal,
            identity: StorageIdentity(environment.map.identity, durability))
    }
}

extension Opening {
    /// Writes a new data.mdb without free pages, and replaces the old one with it.
    ///
    /// Runs while neither this process nor, as LMDB's lock on lock.mdb shows, another has the environment open. A kill
    /// or a power cut leaves the old file or the new one; both contain the same rows.
    ///
    /// - Throws: `busy` when another process has the environment open, `storageFull`. The old file stays then.
    func compact(_ progress: WorkProgress.Handler) throws {
        try folder.locked(busyTimeoutMilliseconds) {
            let users = try lockOutOthers()
            defer { withExtendedLifetime(users) {} }
            let data = try EnvironmentFiles.openForReading(folder.data)
            defer { withExtendedLifetime(data) {} }
            let header = try Header(descriptor: data.descriptor, file: folder.data)
            let map = try FileMap(
                data.descriptor, file: folder.data, bytes: header.pageCount * header.pageBytes,
                pageBytes: header.pageBytes)
            defer { map.close() }
            guard let snapshot = try Snapshot(number: header.transaction, map: map) else {
                throw PatchbayError.lmdb(MDB_CORRUPTED, "compact", path)
            }
            let copy = SnapshotCopy(snapshot: snapshot, task: "compacting the storage \"\(path)\"")
            try folder.makeData { aside in
                try copy.write(to: aside, progress)
                try keepMode(Folder(path: aside).data)
            }
        }
    }

    /// Makes other processes that open the environment wait until the file is closed.
    private func lockOutOthers() throws -> OpenFile {
        let file = path + "/" + Folder.lockFile
        let opened = try EnvironmentFiles.openLockFile(file)
        if patchbay_lock_alone(opened.descriptor) == 0 { return opened }
        let error = SystemError.last
        guard error == .tryAgain || error == .accessDenied else {
            throw PatchbayError.system(error.number, "cannot lock \"\(file)\"")
        }
        throw PatchbayError(
            .busy,
            "another process has the storage \"\(path)\" open, so it cannot be compacted; "
                + "end that process and try again", [.file(file)])
    }

    /// Gives the new file the permissions of the old one.
    private func keepMode(_ file: String) throws {
        guard let status = try FileStatus(path: folder.data), status.mode != 0o600 else { return }
        try PatchbayError.reporting("cannot set the permissions of \"\(file)\"") { () throws(SystemError) in
            try FileSystem.setMode(status.mode, of: file)
        }
    }
}

/// An open environment and the state that reads and writes need.
struct Connection: Sendable {
    let environment: Environment
    let tables: Tables<Table>
    /// All stored collections.
    let schema: Schema
    let storedSchema: StoredSchema
    let opening: Opening
    let openFolder: OpenFolder
    /// The reason why writes are refused, or nil.
    let refusal: PatchbayError?

    /// The identity of data.mdb, because another file may take its place in the same folder.
    let identity: StorageIdentity

    /// Begins a read. When other processes have all reader places, those of ended processes are freed first.
    func beginReading() throws -> ReadTransaction {
        do {
            return ReadTransaction(try Transaction(environment, isWriting: false), tables)
        } catch let error as PatchbayError where error.code == .busy {
            try environment.clearStaleReaders()
            return ReadTransaction(try Transaction(environment, isWriting: false), tables)
        }
    }
}

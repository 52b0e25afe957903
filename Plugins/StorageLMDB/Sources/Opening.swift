import CLMDB
import PatchbayCore

/// Opens a storage: creates it when it is not there, checks it, brings its schema up to date.
struct Opening: Sendable {
    let path: String
    let durability: Durability
    let bytesMax: Int
    let schema: Schema
    let progress: WorkProgress.Handler

    private var folder: Folder { Folder(path: path) }

    /// Other processes that open the folder wait meanwhile.
    func run() throws -> Connection {
        let lock = try folder.prepare { try createEnvironment(in: $0) }
        defer { lock.end() }
        let registration = try OpenFolders.register(path)
        do {
            return try connect(registration)
        } catch {
            registration.end()
            throw error
        }
    }

    /// Opens again what this process has open, after its file was replaced.
    func reopen(_ registration: OpenFolders.Registration) throws -> Connection {
        let lock = try folder.lock()
        defer { lock.end() }
        return try connect(registration)
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
    private func createEnvironment(in folder: String) throws {
        let environment = try Environment(path: folder, flags: 0, bytesMax: bytesMax)
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

    private func connect(_ registration: OpenFolders.Registration) throws -> Connection {
        let header = try Header(file: folder.data)
        let environment = try Environment(path: path, flags: flags, bytesMax: bytesMax)
        do {
            try environment.clearStaleReaders()
            return try connect(environment, header, registration)
        } catch {
            environment.close()
            throw error
        }
    }

    private func connect(
        _ environment: Environment, _ header: Header, _ registration: OpenFolders.Registration
    ) throws -> Connection {
        let reading = try Transaction(environment, isWriting: false)
        var record: [UInt8]
        var tables: Tables?
        do {
            try header.checkLength(try environment.map.currentFileBytes(), reading.snapshot)
            record = try StoredSchema.load(reading)
            let wanted = StoredSchema(version: schema.version, collections: schema.collections)
            // Nearly always the same, and then not parsed.
            let stored = try record == wanted.record ? wanted : StoredSchema(record: record, path: path)
            let isComplete = try stored.leftovers(reading.snapshot).isEmpty
            if try isComplete && Upgrade(from: stored, to: schema).isNothing {
                tables = try Tables(schema, reading)
            }
        } catch {
            reading.abort()
            throw error
        }
        try reading.commit()
        if tables == nil { (record, tables) = try upgrade(environment) }
        return Connection(environment, tables!, schemaRecord: record, registration)
    }

    /// Brings the schema up to date; begins again when another process, which had the storage open already,
    /// has written in between.
    private func upgrade(_ environment: Environment) throws -> ([UInt8], Tables) {
        for _ in 0..<SchemaChange.attemptsMax {
            do {
                return try SchemaChange(environment, schema, progress).run()
            } catch is WriteSeries.Interrupted {}
        }
        throw PatchbayError(
            .busy,
            "another process keeps writing to the storage \"\(path)\" while its schema is brought "
                + "up to date; end that process and try again")
    }
}

import CLMDB
import PatchbayCore

/// Opens a storage: creates it when it is not there, checks it, brings its schema up to date.
struct Opening {
    let path: String
    let durability: Durability
    let bytesMax: Int
    let schema: Schema

    func run() throws -> Connection {
        try Folder(path: path).prepare { try createEnvironment(in: $0) }
        let registration = try OpenFolders.register(path)
        do {
            let header = try Header(file: path + "/data.mdb")
            let environment = try Environment(path: path, flags: flags, bytesMax: bytesMax)
            do {
                try environment.clearStaleReaders()
                try header.checkLength(of: environment)
                return try connect(environment, registration)
            } catch {
                environment.close()
                throw error
            }
        } catch {
            registration.end()
            throw error
        }
    }

    /// `normal`: a commit's data is synced before its header page, which the next commit syncs; so a power cut undoes
    /// the last commit at most and leaves the one before whole.
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

    private func connect(_ environment: Environment, _ registration: OpenFolders.Registration) throws -> Connection {
        let reading = try Transaction(environment, isWriting: false)
        var record: [UInt8]
        var tables: Tables?
        do {
            record = try StoredSchema.load(reading)
            let upgrade = try Upgrade(from: StoredSchema(record: record, path: path), to: schema)
            if upgrade.isNothing { tables = try self.tables(reading) }
        } catch {
            reading.abort()
            throw error
        }
        try reading.commit()
        if tables == nil { (record, tables) = try migrate(environment) }
        return Connection(environment, tables!, schemaRecord: record, registration)
    }

    /// Changes the schema in one transaction; reads it anew, since another process may have been faster.
    private func migrate(_ environment: Environment) throws -> ([UInt8], Tables) {
        let writing = try Transaction(environment, isWriting: true)
        let stored: StoredSchema
        let tables: Tables
        do {
            let upgrade = try Upgrade(from: StoredSchema(record: try StoredSchema.load(writing), path: path), to: schema)
            try upgrade.run(writing)
            stored = upgrade.result
            tables = try self.tables(writing)
        } catch {
            writing.abort()
            throw error
        }
        try writing.commit()
        return (stored.record, tables)
    }

    private func tables(_ transaction: Transaction) throws -> Tables {
        Tables(try schema.collections.map { try Table($0, transaction, isCreating: false) })
    }
}

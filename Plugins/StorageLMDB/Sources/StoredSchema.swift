import CLMDB
import PatchbayCore

/// The schema of a storage: one record, under the key "schema" in the sub-database "_schema".
///
///     patchbay-lmdb 1
///     schema 3
///     users(id integer, login text; key id; by_login login nocase)
///
/// The first number is the version of this format, the second the application's. One line per collection follows; a
/// collection that the application does not declare stays.
struct StoredSchema {
    static let treeName = "_schema"
    private static let formatVersion = 1
    private static let key = Array("schema".utf8)

    var version: Int
    var collections: [CollectionSchema]

    var schema: Schema { Schema(version: version, collections) }

    var record: [UInt8] {
        let lines =
            ["patchbay-lmdb \(StoredSchema.formatVersion)", "schema \(version)"]
            + collections.map(\.definition)
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    init(version: Int, collections: [CollectionSchema]) {
        self.version = version
        self.collections = collections
    }

    /// - Throws: `corrupted` when the record is not a schema, `unsupported` for a newer format.
    init(record: [UInt8], path: String) throws {
        let lines = String(decoding: record, as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.count >= 2, let format = StoredSchema.number(lines[0], after: "patchbay-lmdb "),
            let version = StoredSchema.number(lines[1], after: "schema ")
        else { throw StoredSchema.damaged(path) }
        guard format <= StoredSchema.formatVersion else {
            throw PatchbayError(
                .unsupported,
                "the storage \"\(path)\" has format \(format), newer than this program's "
                    + "\(StoredSchema.formatVersion); use a newer Patchbay")
        }
        self.version = version
        collections = try lines.dropFirst(2).map { line in
            guard let collection = CollectionSchema(definition: line) else {
                throw StoredSchema.damaged(path)
            }
            return collection
        }
    }

    /// The trees that belong to no collection, which a killed index build left.
    func leftovers(_ snapshot: Snapshot) throws -> [Snapshot.NamedTree] {
        var known: Set<String> = [StoredSchema.treeName]
        for collection in collections {
            known.insert(collection.name)
            for index in collection.indexes { known.insert(Table.name(collection, index)) }
        }
        return try snapshot.trees().filter { !known.contains($0.tree.name) }
    }

    private static func number(_ line: String, after word: String) -> Int? {
        line.hasPrefix(word) ? Int(line.dropFirst(word.count)) : nil
    }

    private static func damaged(_ path: String) -> PatchbayError {
        PatchbayError(
            .corrupted, "the schema of the storage \"\(path)\" is damaged; restore it from a copy",
            [.file(path + "/data.mdb")])
    }

    // MARK: In the environment

    /// - Throws: `invalidConfiguration` when the environment belongs to another program.
    static func load(_ transaction: Transaction) throws -> [UInt8] {
        let path = transaction.environment.path
        guard let tree = try transaction.open(treeName) else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" is an LMDB environment of another program; set another path")
        }
        let record = try unsafe key.withUnsafeBytes { try unsafe transaction.find($0, in: tree) }
        guard let record = unsafe record else { throw damaged(path) }
        return unsafe [UInt8](record)
    }

    func save(_ transaction: Transaction) throws {
        guard let tree = try transaction.open(StoredSchema.treeName, isCreating: true) else { return }
        try unsafe StoredSchema.key.withUnsafeBytes { key in
            try unsafe record.withUnsafeBytes {
                try unsafe transaction.put($0, under: key, in: tree, isLast: false)
            }
        }
    }

    /// Checks that rows may still be written as they were declared when the storage was opened. Another process may
    /// have added collections since then. If it has changed one of ours, such as by adding an index, writes must
    /// maintain that, so the storage must be opened again.
    ///
    /// - Parameter known: the last checked record.
    /// - Returns: the current record.
    /// - Throws: `unsupported` when another process has migrated the storage since we opened it.
    static func checked(
        _ known: [UInt8], _ schema: Schema, in transaction: Transaction
    ) throws -> [UInt8] {
        let record = try load(transaction)
        if record == known { return known }
        let path = transaction.environment.path
        let stored = try StoredSchema(record: record, path: path)
        let definitions = Dictionary(
            uniqueKeysWithValues: stored.collections.map { ($0.name, $0.definition) })
        guard stored.version == schema.version,
            schema.collections.allSatisfy({ definitions[$0.name] == $0.definition })
        else {
            throw PatchbayError(
                .unsupported,
                "another process has changed the schema of the storage \"\(path)\"; close it and open it again"
            )
        }
        return record
    }
}

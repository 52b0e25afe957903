import CLMDB
import PatchbayCore

/// The schema of a storage, with its record under the key "schema" in the sub-database "_schema":
///
///     patchbay-lmdb 1
///     schema 3
///     users(id integer, login text; key id; by_login login nocase)
///
/// The first number is the version of this format, the second the application's. One line per collection follows; a
/// collection that the application does not declare stays.
struct StoredSchema {
    private static let formatVersion = 1
    private static let treeName = "_schema"
    private static let key = Array("schema".utf8)

    let schema: Schema
    let record: [UInt8]

    init(_ schema: Schema) {
        self.schema = schema
        var record = Array("patchbay-lmdb \(StoredSchema.formatVersion)\nschema \(schema.version)\n".utf8)
        record.reserveCapacity(schema.collections.reduce(record.count) { $0 + $1.definition.utf8.count + 1 })
        for collection in schema.collections {
            record += collection.definition.utf8
            record.append(UInt8(ascii: "\n"))
        }
        self.record = record
    }

    /// - Throws: `corrupted` when the record is not a schema, `unsupported` for a newer format.
    private init(record: [UInt8], path: String) throws {
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
        let collections = lines.dropFirst(2).compactMap { CollectionSchema(definition: $0) }
        guard Set(collections.map(\.name)).count == lines.count - 2 else { throw StoredSchema.damaged(path) }
        schema = Schema(version: version, collections)
        self.record = record
    }

    private static func number(_ line: String, after word: String) -> Int? {
        line.hasPrefix(word) ? Int(line.dropFirst(word.count)) : nil
    }

    private static func damaged(_ path: String) -> PatchbayError {
        PatchbayError(
            .corrupted, "the schema of the storage \"\(path)\" is damaged; restore it from a copy",
            [.file(path + "/data.mdb")])
    }

    /// The trees that belong to no collection, which a killed index build left.
    func leftovers(_ snapshot: Snapshot) throws -> [Snapshot.NamedTree] {
        let known = Set([StoredSchema.treeName] + schema.collections.flatMap(Table.names))
        return try snapshot.trees().filter { !known.contains($0.tree.name) }
    }

    /// Whether ``leftovers(_:)`` are empty, provided that every collection has its trees, which its use shows.
    func isTidy(_ snapshot: Snapshot) throws -> Bool {
        let count = schema.collections.reduce(1) { $0 + 1 + $1.indexes.count }
        return try snapshot.header.main.entryCount == count || leftovers(snapshot).isEmpty
    }

    // MARK: In the environment

    /// Reads the schema that is stored when the transaction begins.
    ///
    /// - Parameter known: the schema that it nearly always is, and whose record is not parsed again.
    /// - Throws: `invalidConfiguration` when the environment belongs to another program.
    static func load(_ transaction: Transaction, expecting known: StoredSchema? = nil) throws -> StoredSchema
    {
        let path = transaction.environment.path
        guard try transaction.snapshot.root(named: treeName) != nil else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" is an LMDB environment of another program; set another path")
        }
        let tree = try transaction.open(treeName)
        guard let record = try unsafe key.withUnsafeBytes({ try unsafe transaction.find($0, in: tree) })
        else {
            throw damaged(path)
        }
        if let known, unsafe known.record.withUnsafeBytes({ unsafe $0.isEqual(to: record) }) { return known }
        return try unsafe StoredSchema(record: [UInt8](record), path: path)
    }

    func save(_ transaction: Transaction) throws {
        let tree = try transaction.open(StoredSchema.treeName, isCreating: true)
        try unsafe StoredSchema.key.withUnsafeBytes { key in
            try unsafe record.withUnsafeBytes {
                try unsafe transaction.put($0, under: key, in: tree, isLast: false)
            }
        }
    }

    /// Checks that rows may still be written as they were declared when the storage was opened. Another process may
    /// have added collections since this schema was stored. If it has changed one of ours, such as by adding an index,
    /// writes must maintain that, so the storage must be opened again.
    ///
    /// - Returns: the schema that is stored now.
    /// - Throws: `unsupported` when another process has migrated the storage since we opened it.
    func checked(for opened: Schema, in transaction: Transaction) throws -> StoredSchema {
        if try isRecorded(in: transaction.snapshot) { return self }
        let current = try StoredSchema.load(transaction, expecting: self)
        if current.record == record { return current }
        guard current.schema.version == opened.version,
            opened.collections.allSatisfy(current.schema.collections.contains)
        else { throw StoredSchema.hasChanged(transaction.environment.path) }
        return current
    }

    /// Whether a snapshot has this very record. Its seal is not needed to know that.
    private func isRecorded(in snapshot: Snapshot) throws -> Bool {
        let tree = Tree(StoredSchema.treeName, 0)
        guard let root = try snapshot.root(named: StoredSchema.treeName) else { return false }
        return try unsafe StoredSchema.key.withUnsafeBytes { key in
            guard let value = try unsafe snapshot.find(key, in: tree, root) else { return false }
            return unsafe value.count == record.count + Tree.sealBytes
                && record.withUnsafeBytes { unsafe $0.isEqual(to: value.part(0..<record.count)) }
        }
    }

    /// The error for a collection that another process has changed since it was opened.
    private static func hasChanged(_ path: String) -> PatchbayError {
        PatchbayError(
            .unsupported,
            "another process has changed the schema of the storage \"\(path)\"; close it and open it again",
            [.file(path)])
    }

    /// Returns why a tree or a row does not fit a collection as it was opened: another process has changed the
    /// collection; otherwise it is damaged, as `fault` states.
    static func misfit(
        _ collection: CollectionSchema, in transaction: Transaction, _ fault: PatchbayError
    ) -> PatchbayError {
        // A schema that cannot be read is damaged as well.
        guard let current = try? load(transaction), !current.schema.collections.contains(collection) else {
            return fault
        }
        return hasChanged(transaction.environment.path)
    }
}

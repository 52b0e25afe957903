import CLMDB
import PatchbayCore

/// A collection with its trees: one for the rows, one for each index.
final class Table: Sendable {
    let collection: CollectionSchema
    /// The tree from primary key to row.
    let rows: Tree
    /// The trees from entry to encoded primary key, in the order of `collection.indexes`.
    let indexes: [Tree]

    /// Opens the trees, or creates them.
    ///
    /// - Throws: `corrupted` when one is missing and `isCreating` is false.
    init(_ collection: CollectionSchema, _ transaction: Transaction, isCreating: Bool) throws {
        self.collection = collection
        rows = try transaction.open(
            collection.name, hasIntegerKeys: collection.hasIntegerKey, isCreating: isCreating)
        indexes = try collection.indexes.map {
            try transaction.open(Table.name(collection, $0), isCreating: isCreating)
        }
    }

    /// The name of an index's sub-database.
    static func name(_ collection: CollectionSchema, _ index: Index) -> String {
        "\(collection.name).\(index.name)"
    }

    /// The names of a collection's sub-databases.
    static func names(of collection: CollectionSchema) -> [String] {
        [collection.name] + collection.indexes.map { name(collection, $0) }
    }

    /// The tree that a query walks.
    func tree(of index: Index) -> Tree {
        guard let place = collection.indexes.firstIndex(where: { $0.name == index.name }) else {
            preconditionFailure("\(collection.name) has no index \(index.name)")
        }
        return indexes[place]
    }

    /// Runs `body` with the row tree's key for an encoded primary key.
    @inline(__always)
    func withRowKey<Result>(
        encoded: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        guard rows.hasIntegerKeys else { return try unsafe body(encoded) }
        var native = unsafe UInt64(bigEndian: encoded.number(UInt64.self, at: 0))
        return try unsafe withUnsafeBytes(of: &native, body)
    }
}

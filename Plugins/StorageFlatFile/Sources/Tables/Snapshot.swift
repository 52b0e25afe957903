import PatchbayCore

/// Everything committed at one moment. A snapshot never changes, and readers keep one while they read.
final class Snapshot: Sendable {
    let transaction: UInt64
    let tables: [TableState]

    init(_ transaction: UInt64, _ tables: [TableState]) {
        self.transaction = transaction
        self.tables = tables
    }

    /// Whether an index file was found damaged, so that the indexes must be rebuilt.
    var isIndexDamaged: Bool { tables.contains { $0.indexes[0].isDamaged } }

    /// The position of the collection in ``tables``.
    func position(of collection: CollectionSchema) -> Int {
        if let position = tables.firstIndex(where: { $0.layout.collection === collection }) {
            return position
        }
        guard let position = tables.firstIndex(where: { $0.layout.collection.name == collection.name }) else {
            preconditionFailure("the collection \(collection.name) was not opened")
        }
        return position
    }
}

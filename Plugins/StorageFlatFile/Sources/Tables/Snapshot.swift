import PatchbayCore

/// Everything committed at one moment. Readers keep one; nothing in it changes.
final class Snapshot: Sendable {
    let transaction: UInt64
    let tables: [TableState]
    /// How many runs a search may look into, in the index that has most.
    let runCount: Int

    init(_ transaction: UInt64, _ tables: [TableState]) {
        self.transaction = transaction
        self.tables = tables
        runCount = tables.reduce(0) { max($0, $1.runCount) }
    }

    /// Whether an index file was found damaged, so that the indexes must be made anew.
    var isIndexDamaged: Bool { tables.contains { $0.indexes.contains(where: \.isDamaged) } }

    /// Where the collection stands in ``tables``.
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

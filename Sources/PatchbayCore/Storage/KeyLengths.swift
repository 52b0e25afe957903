/// Finds rows whose key or index entries are too long, nearly always without encoding them.
package struct KeyLengths {
    private let collection: CollectionSchema
    /// The primary key and the indexes whose entries may be too long.
    private let longKeys: [LongKey]

    package init(_ collection: CollectionSchema) {
        self.collection = collection
        longKeys = ([collection.primaryKey] + collection.indexes).compactMap { LongKey($0, collection) }
    }

    /// Throws `invalidValue` when the key or an index entry of the row is too long.
    package func check(_ row: borrowing RowView) throws {
        for place in longKeys.indices where longKeys[place].mayExceedLimit(row) {
            var entry: [UInt8] = []
            try collection.appendEntry(of: row, in: longKeys[place].index, to: &entry)
        }
    }
}

/// The largest possible size of a row's entry in one index.
private struct LongKey {
    let index: Index
    private let fixedBytes: Int
    private let textPositions: [Int]

    /// Returns nil for an index whose entries are never too long.
    init?(_ index: Index, _ collection: CollectionSchema) {
        self.index = index
        let parts = index == collection.primaryKey ? index.parts : index.parts + collection.primaryKey.parts
        let texts = parts.filter { collection.fields[$0.position].type == .text }
        // One marker byte per value, which may be null; 8 bytes per integer; a zero byte after text.
        fixedBytes = parts.count + 8 * (parts.count - texts.count) + texts.count
        textPositions = texts.map(\.position)
        if texts.isEmpty, fixedBytes <= Limits.keyBytes { return nil }
    }

    func mayExceedLimit(_ row: borrowing RowView) -> Bool {
        var count = fixedBytes
        for position in textPositions { count += row.bytes(position).byteCount }
        return count > Limits.keyBytes
    }
}

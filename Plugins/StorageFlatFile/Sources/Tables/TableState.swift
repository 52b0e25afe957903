import PatchbayCore

/// A collection at one moment: its data file up to a length, and its indexes.
struct TableState: Sendable {
    let layout: LineLayout
    var log: Log
    /// The end of the last committed line.
    var length: Int
    /// The index of the primary key, then those of ``CollectionSchema/indexes``.
    var indexes: [IndexState]
    var rowCount = 0
    /// The bytes of the lines that hold a current row; the others are waste.
    var liveBytes = 0
    /// The last transaction that touched the collection.
    var lastCommit: UInt64 = 0

    /// The state of a file without lines.
    init(_ layout: LineLayout, _ log: Log) {
        self.layout = layout
        self.log = log
        length = log.headerBytes
        let collection = layout.collection
        indexes = ([collection.primaryKey] + collection.indexes).map {
            IndexState(SolePart($0, of: collection))
        }
    }

    var collection: CollectionSchema { layout.collection }

    /// The bytes of the file that do not hold a current row.
    var waste: Int { length - liveBytes }

    /// The primary key, then the other indexes, in the order of ``indexes``.
    var declaredIndexes: [Index] { [collection.primaryKey] + collection.indexes }

    func index(_ query: Query) throws -> IndexState {
        if query.walksPrimaryKey { return indexes[0] }
        guard let position = collection.indexes.firstIndex(of: query.index) else {
            throw PatchbayError(
                .internalError,
                "the collection \(collection.name) was not opened with the index \(query.index.name)")
        }
        return indexes[position + 1]
    }

    /// The number of entries in memory, in the index that has most. The indexes are visited in place, because every put
    /// needs the count.
    var deltaCount: Int {
        var most = 0
        for position in indexes.indices { most = max(most, indexes[position].delta.count) }
        return most
    }

    mutating func flush(_ folder: RunFolder, mergingBy factor: Int) throws {
        for position in indexes.indices { try indexes[position].flush(folder, mergingBy: factor) }
    }
}

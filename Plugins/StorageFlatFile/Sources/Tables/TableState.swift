import PatchbayCore

/// A collection at one moment: its data file up to a length, and its indexes.
struct TableState: Sendable {
    let layout: LineLayout
    var log: Log
    /// The end of the last committed line.
    var length: Int
    /// The primary key's, then those of ``Collection/indexes``.
    var indexes: [IndexState]
    var rowCount = 0
    /// The bytes of the lines that hold a row of this moment; the others are waste.
    var liveBytes = 0
    /// The last transaction that touched the collection.
    var lastCommit: UInt64 = 0

    /// The state of a file without lines.
    init(_ layout: LineLayout, _ log: Log) {
        self.layout = layout
        self.log = log
        length = log.headerBytes
        indexes = Array(repeating: IndexState(), count: layout.collection.indexes.count + 1)
    }

    var collection: Collection { layout.collection }

    /// The bytes of the file that hold no row of this moment.
    var waste: Int { length - liveBytes }

    /// The primary key, then the other indexes, as ``indexes`` holds them.
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

    /// How many entries wait in memory, in the index that has most.
    var deltaCount: Int { indexes.map(\.delta.count).max() ?? 0 }

    mutating func flush(_ folder: RunFolder, factor: Int) throws {
        for position in indexes.indices { try indexes[position].flush(folder, factor: factor) }
    }
}

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
    /// The number of changes of the indexes that no checkpoint covers.
    var changeCount = 0

    /// The state of a file without lines.
    ///
    /// - Parameter pages: the file for the pages of the indexes; nil to keep them in memory.
    init(_ layout: LineLayout, _ log: Log, _ pages: IndexFile?) {
        self.layout = layout
        self.log = log
        length = log.headerBytes
        indexes = (0...layout.collection.indexes.count).map { _ in IndexState(pages) }
    }

    var collection: CollectionSchema { layout.collection }

    /// The file with the pages of the indexes; nil when all are in memory.
    var pages: IndexFile? { indexes[0].file }

    /// The bytes of the file that do not hold a current row.
    var waste: Int { length - liveBytes }

    /// The primary key, then the other indexes, in the order of ``indexes``.
    var declaredIndexes: [Index] { [collection.primaryKey] + collection.indexes }

    func index(_ query: Query) -> IndexState {
        query.indexPlace.map { indexes[$0 + 1] } ?? indexes[0]
    }
}

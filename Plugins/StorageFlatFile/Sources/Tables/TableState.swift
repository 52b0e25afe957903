import PatchbayCore

/// A collection at one moment: its data file up to a length, and its indexes.
struct TableState: Sendable {
    let layout: LineLayout
    var log: Log
    /// The end of the last committed line.
    var length: Int
    /// The primary key's, then those of ``CollectionSchema/indexes``.
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
        let collection = layout.collection
        indexes = ([collection.primaryKey] + collection.indexes).map {
            IndexState(SolePart($0, of: collection))
        }
    }

    var collection: CollectionSchema { layout.collection }

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

    /// The greatest count of all indexes; in place, because every put asks for one.
    @inline(__always)
    private func most(_ count: (borrowing IndexState) -> Int) -> Int {
        var most = 0
        for position in indexes.indices { most = max(most, count(indexes[position])) }
        return most
    }

    /// How many entries wait in memory, in the index that has most.
    var deltaCount: Int { most { $0.delta.count } }

    /// How many runs a search may look into, in the index that has most.
    var runCount: Int { most { $0.runs.count } }

    mutating func flush(_ folder: RunFolder, _ policy: MergePolicy) throws {
        for position in indexes.indices { try indexes[position].flush(folder, policy) }
    }
}

import PatchbayCore
import PatchbayJSON

/// The content of `index/checkpoint.json`: up to where the data files are on the disk and indexed.
///
/// Opening reads only the lines after it, or all lines without it.
struct Checkpoint {
    /// Every transaction up to this one is on the disk.
    var transaction: UInt64 = 0
    /// Whether the data that it covers was synced before it was written.
    var isSynced = false
    var tables: [Table] = []

    struct Table: Equatable {
        var collection = ""
        /// The generation of the file that the entry describes.
        var generation: UInt64 = 0
        /// The declaration that the index files were made for.
        var definition = ""
        var length = 0
        /// The checksum of the line before `length`.
        var checksum: UInt32 = 0
        var rowCount = 0
        var liveBytes = 0
        var lastCommit: UInt64 = 0
        var runs: [Run] = []
    }

    struct Run: Equatable {
        /// The index's name.
        var index = ""
        /// The file is `<number>.run`.
        var number: UInt64 = 0
        var byteCount = 0
        var checksum: UInt32 = 0
    }

    /// Returns the entry for a file, or nil.
    func table(_ log: Log) -> Table? { tables.first { $0.generation == log.generation } }

    /// The numbers of the runs in use.
    var runNumbers: Set<UInt64> { Set(tables.flatMap(\.runs).map(\.number)) }
}

extension Checkpoint.Table {
    /// Creates the entry of a collection whose file is on the disk and which has no entries in memory.
    init(_ state: TableState) throws {
        collection = state.collection.name
        generation = state.log.generation
        definition = state.collection.definition
        length = state.length
        checksum = try state.log.checksum(before: state.length) ?? 0
        rowCount = state.rowCount
        liveBytes = state.liveBytes
        lastCommit = state.lastCommit
        for (index, held) in zip(state.declaredIndexes, state.indexes) {
            runs += held.runs.map { run in
                Checkpoint.Run(
                    index: index.name, number: run.number, byteCount: run.byteCount, checksum: run.checksum)
            }
        }
    }
}

extension Log {
    /// The checksum of the line that ends at an offset; nil when no line ends there.
    func checksum(before offset: Int) throws -> UInt32? {
        guard offset >= Line.trailerBytes else { return nil }
        let buffer = ByteBuffer(capacity: Line.trailerBytes)
        let count = try file.read(Line.trailerBytes, at: offset - Line.trailerBytes, into: buffer.base)
        return count == Line.trailerBytes ? Line.storedChecksum(buffer.base, count) : nil
    }
}

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
        var collection: String
        /// The generation of the file that the entry describes.
        var generation: UInt64
        /// The declaration that the index files were made for.
        var definition: String
        var length: Int
        /// The checksum of the line before `length`.
        var checksum: UInt32
        var rowCount: Int
        var liveBytes: Int
        var lastCommit: UInt64
        var runs: [Run]
    }

    struct Run: Equatable {
        /// The index's name.
        var index: String
        /// The file is `<number>.run`.
        var number: UInt64
        var byteCount: Int
        var checksum: UInt32
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
        runs = zip(state.declaredIndexes, state.indexes).flatMap { index, held in
            held.runs.map { run in
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
        let buffer = try file.read(Line.trailerBytes, at: offset - Line.trailerBytes)
        return buffer.flatMap { unsafe Line.storedChecksum($0.base, $0.count) }
    }
}

// MARK: - The file

extension Checkpoint {
    /// - Parameter folder: the folder of the index files.
    func write(in folder: Folder, isSynced: Bool) throws {
        let json = JSONValue.object([
            ("transaction", .digits(transaction)), ("synced", .digits(self.isSynced ? 1 : 0)),
            ("collections", .array(tables.map(\.json))),
        ])
        try SealedFile.write(json, FileName.checkpoint, in: folder, isSynced: isSynced)
    }

    /// Returns nil when it is missing or damaged. All data is then read again.
    static func read(in folder: Folder) throws -> Checkpoint? {
        guard try folder.kind(FileName.checkpoint) == .file,
            let json = try SealedFile.read(FileName.checkpoint, in: folder),
            let transaction: UInt64 = json.number("transaction"), let synced: Int = json.number("synced"),
            let tables = json["collections"]?.elements.map(Table.init), !tables.contains(nil)
        else { return nil }
        return Checkpoint(transaction: transaction, isSynced: synced == 1, tables: tables.compactMap { $0 })
    }
}

extension Checkpoint.Table {
    fileprivate var json: JSONValue {
        .object([
            ("name", .text(collection)), ("generation", .digits(generation)),
            ("definition", .text(definition)), ("length", .digits(length)), ("checksum", .digits(checksum)),
            ("rows", .digits(rowCount)), ("live_bytes", .digits(liveBytes)),
            ("last_commit", .digits(lastCommit)),
            ("runs", .array(runs.map(\.json))),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let collection = json["name"]?.word, let generation: UInt64 = json.number("generation"),
            let definition = json["definition"]?.word, let length: Int = json.number("length"),
            let checksum: UInt32 = json.number("checksum"), let rowCount: Int = json.number("rows"),
            let liveBytes: Int = json.number("live_bytes"),
            let lastCommit: UInt64 = json.number("last_commit"),
            let runs = json["runs"]?.elements.map(Checkpoint.Run.init), !runs.contains(nil)
        else { return nil }
        self.init(
            collection: collection, generation: generation, definition: definition, length: length,
            checksum: checksum, rowCount: rowCount, liveBytes: liveBytes, lastCommit: lastCommit,
            runs: runs.compactMap { $0 })
    }
}

extension Checkpoint.Run {
    fileprivate var json: JSONValue {
        .object([
            ("index", .text(index)), ("number", .digits(number)), ("bytes", .digits(byteCount)),
            ("checksum", .digits(checksum)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let index = json["index"]?.word, let number: UInt64 = json.number("number"),
            let byteCount: Int = json.number("bytes"), let checksum: UInt32 = json.number("checksum")
        else { return nil }
        self.init(index: index, number: number, byteCount: byteCount, checksum: checksum)
    }
}

extension JSONValue {
    /// An integer as a string, because some are beyond the range that every reader keeps exact.
    fileprivate static func digits(_ value: some FixedWidthInteger) -> JSONValue { .text(String(value)) }
}

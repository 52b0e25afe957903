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
    /// The number of the file with the pages of the indexes.
    var file: UInt64 = 0
    /// The number of pages in that file.
    var pageCount = 0
    var tables: [Table] = []

    struct Table: Equatable {
        var collection = ""
        /// The declaration that the indexes were made for.
        var definition = ""
        /// The generation of the file that the entry describes.
        var generation: UInt64 = 0
        var length = 0
        /// The checksum of the line before `length`.
        var checksum: UInt32 = 0
        var rowCount = 0
        var liveBytes = 0
        var lastCommit: UInt64 = 0
        /// Of the indexes that are not empty.
        var roots: [Root] = []
    }

    struct Root: Equatable {
        /// Enough for any number of rows that fits a disk.
        static let levelMax = 16

        /// The index's name.
        var index = ""
        var page = PageReference(number: 0, checksum: 0)
        /// The number of levels below the page.
        var level = 0
    }

    /// Returns the entry for a file, or nil.
    func table(_ log: Log) -> Table? { tables.first { $0.generation == log.generation } }
}

extension Checkpoint.Table {
    /// Creates the entry of a collection whose lines and index pages are on the disk.
    init(_ state: TableState) throws {
        collection = state.collection.name
        definition = state.collection.definition
        generation = state.log.generation
        length = state.length
        checksum = try state.log.checksum(before: state.length) ?? 0
        rowCount = state.rowCount
        liveBytes = state.liveBytes
        lastCommit = state.lastCommit
        roots = zip(state.declaredIndexes, state.indexes).compactMap { index, held in
            guard let root = held.root, let page = root.reference else { return nil }
            return Checkpoint.Root(index: index.name, page: page, level: root.level)
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
    /// Writes the checkpoint of a snapshot, all of whose lines are on the disk and whose pages are in the index file.
    ///
    /// - Parameters:
    ///   - rewritten: the state of a new data file that is about to replace another.
    ///   - folder: the folder of the index files.
    static func write(
        _ snapshot: Snapshot, and rewritten: TableState? = nil, _ pages: IndexFile, in folder: Folder,
        isSynced: Bool
    ) throws {
        if isSynced { try pages.sync() }
        let tables = try (snapshot.tables + (rewritten.map { [$0] } ?? [])).map(Table.init)
        let json = try JSONValue.object([
            ("transaction", .digits(snapshot.transaction)), ("synced", .digits(isSynced ? 1 : 0)),
            ("file", .digits(pages.number)), ("pages", .digits(pages.byteCount() / Page.byteCount)),
            ("collections", .array(tables.map(\.json))),
        ])
        try SealedFile.write(json, FileName.checkpoint, in: folder, isSynced: isSynced)
    }

    /// Returns nil when it is missing or damaged. All data is then read again.
    static func read(in folder: Folder) throws -> Checkpoint? {
        guard try folder.kind(FileName.checkpoint) == .file,
            let json = try SealedFile.read(FileName.checkpoint, in: folder),
            let transaction: UInt64 = json.number("transaction"), let synced: Int = json.number("synced"),
            let file: UInt64 = json.number("file"), let pageCount: Int = json.number("pages"),
            let tables = json["collections"]?.elements.map(Table.init), !tables.contains(nil)
        else { return nil }
        return Checkpoint(
            transaction: transaction, isSynced: synced == 1, file: file, pageCount: pageCount,
            tables: tables.compactMap { $0 })
    }
}

extension Checkpoint.Table {
    fileprivate var json: JSONValue {
        .object([
            ("name", .text(collection)), ("generation", .digits(generation)),
            ("definition", .text(definition)), ("length", .digits(length)), ("checksum", .digits(checksum)),
            ("rows", .digits(rowCount)), ("live_bytes", .digits(liveBytes)),
            ("last_commit", .digits(lastCommit)), ("roots", .array(roots.map(\.json))),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let collection = json["name"]?.word, let generation: UInt64 = json.number("generation"),
            let definition = json["definition"]?.word, let length: Int = json.number("length"),
            let checksum: UInt32 = json.number("checksum"), let rowCount: Int = json.number("rows"),
            let liveBytes: Int = json.number("live_bytes"),
            let lastCommit: UInt64 = json.number("last_commit"),
            let roots = json["roots"]?.elements.map(Checkpoint.Root.init), !roots.contains(nil)
        else { return nil }
        self.init(
            collection: collection, definition: definition, generation: generation, length: length,
            checksum: checksum, rowCount: rowCount, liveBytes: liveBytes, lastCommit: lastCommit,
            roots: roots.compactMap { $0 })
    }
}

extension Checkpoint.Root {
    fileprivate var json: JSONValue {
        .object([
            ("index", .text(index)), ("page", .digits(page.number)), ("checksum", .digits(page.checksum)),
            ("level", .digits(level)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let index = json["index"]?.word, let number: Int = json.number("page"),
            let checksum: UInt32 = json.number("checksum"), let level: Int = json.number("level"),
            (0...Checkpoint.Root.levelMax).contains(level)
        else { return nil }
        self.init(index: index, page: PageReference(number: number, checksum: checksum), level: level)
    }
}

extension JSONValue {
    /// An integer as a string, because some are beyond the range that every reader keeps exact.
    fileprivate static func digits(_ value: some FixedWidthInteger) -> JSONValue { .text(String(value)) }
}

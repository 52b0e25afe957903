import PatchbayCore
import PatchbayJSON

/// The content of `index/checkpoint.json`: up to where the data files are on the disk and indexed.
///
/// Opening reads only the lines after it, or all lines without it.
struct Checkpoint {
    /// Every transaction up to this one is on the disk.
    let transaction: UInt64
    /// Whether the data that it covers was synced before it was written.
    let isSynced: Bool
    /// The number of the file with the pages of the indexes.
    let file: UInt64
    /// The number of pages in that file.
    let pageCount: Int
    private let tables: [Table]

    struct Table {
        /// The declaration that the indexes were made for.
        let definition: String
        /// The generation of the file that the entry describes.
        let generation: UInt64
        let length: Int
        /// The checksum of the line before `length`.
        let checksum: UInt32
        let rowCount: Int
        let liveBytes: Int
        let lastCommit: UInt64
        /// Of the indexes that are not empty.
        let roots: [Root]
    }

    struct Root {
        /// Enough for any number of rows that fits a disk.
        static let levelMax = 16

        /// The index's name.
        let index: String
        let page: PageReference
        /// The number of levels below the page.
        let level: Int
    }

    /// Returns the entry for a file, or nil.
    func table(_ log: Log) -> Table? { tables.first { $0.generation == log.generation } }
}

extension Log {
    /// The checksum of the line that ends at an offset; nil when no line ends there.
    func checksum(before offset: Int) throws -> UInt32? {
        guard offset >= Line.trailerBytes else { return nil }
        let buffer = try file.read(Line.trailerBytes, at: offset - Line.trailerBytes)
        return buffer.flatMap { unsafe Line.storedChecksum($0.base, $0.count) }
    }
}

// MARK: - Writing

extension Checkpoint {
    /// Writes the checkpoint of data files, all of whose lines are on the disk and whose pages are in the index file,
    /// unless the present one states the same.
    ///
    /// - Parameters:
    ///   - tables: the collections, and possibly a new data file that is about to replace another.
    ///   - folder: the folder of the index files.
    static func write(
        _ tables: [TableState], upTo transaction: UInt64, _ pages: IndexFile, in folder: Folder,
        isSynced: Bool
    ) throws {
        let entries = try tables.map(entry), pageCount = try pages.byteCount() / Page.byteCount
        func content(isSynced: Bool) -> ByteBuffer {
            SealedFile.content(
                .object([
                    ("transaction", .digits(transaction)), ("synced", .digits(isSynced ? 1 : 0)),
                    ("file", .digits(pages.number)), ("pages", .digits(pageCount)),
                    ("collections", .array(entries)),
                ]))
        }
        // A checkpoint that cannot be read is replaced.
        let stored = try? SealedFile.bytes(FileName.checkpoint, in: folder)?.copyBytes()
        if stored == content(isSynced: true).copyBytes() { return }
        let new = content(isSynced: isSynced)
        if stored == new.copyBytes() { return }
        if isSynced { try pages.sync() }
        try folder.replace(FileName.checkpoint, with: new, isSynced: isSynced)
    }

    private static func entry(_ state: TableState) throws -> JSONValue {
        let roots = zip(state.declaredIndexes, state.indexes).compactMap { index, held -> JSONValue? in
            guard let root = held.root, let page = root.reference else { return nil }
            return .object([
                ("index", .text(index.name)), ("page", .digits(page.number)),
                ("checksum", .digits(page.checksum)), ("level", .digits(root.level)),
            ])
        }
        return .object([
            ("name", .text(state.collection.name)), ("generation", .digits(state.log.generation)),
            ("definition", .text(state.collection.definition)), ("length", .digits(state.length)),
            ("checksum", .digits(try state.log.checksum(before: state.length) ?? 0)),
            ("rows", .digits(state.rowCount)), ("live_bytes", .digits(state.liveBytes)),
            ("last_commit", .digits(state.lastCommit)), ("roots", .array(roots)),
        ])
    }
}

extension JSONValue {
    /// An integer as a string, because some are beyond the range that every reader keeps exact.
    fileprivate static func digits(_ value: some FixedWidthInteger) -> JSONValue { .text(String(value)) }
}

// MARK: - Reading

extension Checkpoint {
    /// Reads the checkpoint; nil when it is missing or damaged. All data is then read again.
    init?(in folder: Folder) throws {
        guard try folder.kind(FileName.checkpoint) == .file,
            let json = try SealedFile.read(FileName.checkpoint, in: folder),
            let transaction: UInt64 = json.number("transaction"), let synced: Int = json.number("synced"),
            let file: UInt64 = json.number("file"), let pageCount: Int = json.number("pages"),
            let tables = json["collections"]?.elements.map(Table.init), !tables.contains(where: { $0 == nil })
        else { return nil }
        self.init(
            transaction: transaction, isSynced: synced == 1, file: file, pageCount: pageCount,
            tables: tables.compactMap { $0 })
    }
}

extension Checkpoint.Table {
    fileprivate init?(_ json: JSONValue) {
        guard let generation: UInt64 = json.number("generation"), let definition = json["definition"]?.word,
            let length: Int = json.number("length"), let checksum: UInt32 = json.number("checksum"),
            let rowCount: Int = json.number("rows"), let liveBytes: Int = json.number("live_bytes"),
            let lastCommit: UInt64 = json.number("last_commit"),
            let roots = json["roots"]?.elements.map(Checkpoint.Root.init),
            !roots.contains(where: { $0 == nil })
        else { return nil }
        self.init(
            definition: definition, generation: generation, length: length, checksum: checksum,
            rowCount: rowCount, liveBytes: liveBytes, lastCommit: lastCommit,
            roots: roots.compactMap { $0 })
    }
}

extension Checkpoint.Root {
    fileprivate init?(_ json: JSONValue) {
        guard let index = json["index"]?.word, let number: Int = json.number("page"),
            let checksum: UInt32 = json.number("checksum"), let level: Int = json.number("level"),
            (0...Checkpoint.Root.levelMax).contains(level)
        else { return nil }
        self.init(index: index, page: PageReference(number: number, checksum: checksum), level: level)
    }
}

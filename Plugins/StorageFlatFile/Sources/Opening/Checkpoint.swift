import PatchbayCore
import PatchbayJSON
import PatchbaySystem

/// The content of `index/checkpoint.json`: up to where the data files are on the disk and indexed.
///
/// Opening reads only the lines after it, or all lines without it.
struct Checkpoint {
    /// The greatest number of levels below the root of an index; enough for any number of rows that fits a disk.
    private static let levelMax = 16

    /// Every transaction up to this one is on the disk.
    let transaction: UInt64
    /// Whether the data that it covers was synced before it was written.
    let isSynced: Bool
    /// The number of the file with the pages of the indexes.
    let file: UInt64
    /// The number of pages in that file.
    let pageCount: Int
    /// The entries of the data files by generation, as ``entry(_:)`` makes them.
    private let entries: [String: JSONValue]
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
    ///   - snapshot: the collections, and possibly a new data file that is about to replace another.
    ///   - pages: the file with the pages of their indexes.
    static func write(_ snapshot: Snapshot, _ pages: IndexFile, isSynced: Bool) throws {
        let entries = try snapshot.tables.map(entry), pageCount = try pages.file.byteCount() / Page.byteCount
        func content(isSynced: Bool) -> ByteBuffer {
            SealedFile.content(
                .object([
                    ("transaction", .digits(snapshot.transaction)), ("synced", .digits(isSynced ? 1 : 0)),
                    ("file", .digits(pages.number)), ("pages", .digits(pageCount)),
                    ("collections", .array(entries)),
                ]))
        }
        // A checkpoint that cannot be read is replaced.
        let stored = try? SealedFile.bytes(FileName.checkpoint, in: pages.folder)?.copyBytes()
        if stored == content(isSynced: true).copyBytes() { return }
        let new = content(isSynced: isSynced)
        if stored == new.copyBytes() { return }
        if isSynced { try pages.file.sync() }
        try pages.folder.replace(FileName.checkpoint, with: new, isSynced: isSynced)
    }

    /// The entry for a data file: its indexed part, the checksum of the last line there, the declaration that the
    /// indexes were made for, and the roots of those that are not empty.
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
            let transaction = json.transaction("transaction"), let synced: Int = json.number("synced"),
            let file: UInt64 = json.number("file"), let pageCount: Int = json.number("pages"),
            let entries = json["collections"]?.elements
        else { return nil }
        self.init(
            transaction: transaction, isSynced: synced == 1, file: file, pageCount: pageCount,
            entries: Dictionary(
                entries.map { ($0["generation"]?.word ?? "", $0) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Returns the indexed part of a data file; nil when no usable index pages of it are known.
    ///
    /// - Parameters:
    ///   - empty: the state of the file without lines.
    ///   - byteCount: the length of the file.
    /// - Throws: `corrupted` when the file does not match its entry.
    func state(_ empty: TableState, of byteCount: Int) throws -> TableState? {
        let log = empty.log
        guard let entry = entries[String(log.generation)],
            let length: Int = entry.number("length"), let checksum: UInt32 = entry.number("checksum")
        else { return nil }
        guard byteCount >= length else { throw log.damaged(at: byteCount) }
        guard try length == log.headerBytes || log.checksum(before: length) == checksum else {
            throw log.damaged(at: length)
        }
        guard let rowCount: Int = entry.number("rows"), let liveBytes: Int = entry.number("live_bytes"),
            let lastCommit: UInt64 = entry.number("last_commit"),
            let indexes = try indexes(empty, entry, hasRows: rowCount > 0)
        else { return nil }
        var state = empty
        state.indexes = indexes
        state.length = length
        state.rowCount = rowCount
        state.liveBytes = liveBytes
        state.lastCommit = lastCommit
        return state
    }

    /// Returns the indexes of a data file; nil when one is new or damaged.
    private func indexes(
        _ state: TableState, _ entry: JSONValue, hasRows: Bool
    ) throws -> [IndexState]? {
        guard let pages = state.pages, pages.number == file,
            let stored = CollectionSchema.stored(
                entry["definition"]?.word ?? "", known: [state.collection])
        else { return nil }
        // Usually the very declaration; otherwise only some indexes may be the same.
        let isSame = stored === state.collection
        let storedIndexes = [stored.primaryKey] + stored.indexes, roots = entry["roots"]?.elements ?? []
        var indexes: [IndexState] = []
        for index in state.declaredIndexes {
            guard isSame || storedIndexes.contains(index) else { return nil }
            let root = try roots.first { $0["index"]?.word == index.name }.flatMap { root -> Child? in
                guard let number: Int = root.number("page"), let checksum: UInt32 = root.number("checksum"),
                    let level: Int = root.number("level"), (0...Checkpoint.levelMax).contains(level)
                else { return nil }
                let page = PageReference(number: number, checksum: checksum)
                return try pages.load(page, level: level, whole: pages.isSmall)
            }
            // Every row has an entry.
            guard (root != nil) == hasRows else { return nil }
            indexes.append(IndexState(pages, root))
        }
        return indexes
    }
}

import PatchbayCore

/// Everything committed at one moment. A snapshot never changes, and readers keep one while they read.
final class Snapshot: Sendable {
    let folder: Folder
    let schemaVersion: Int
    /// The stamps of the files when the snapshot was taken; nil when no other process can change them.
    let stamps: FileStamps?
    let transaction: UInt64
    let tables: [TableState]

    init(
        _ transaction: UInt64, _ tables: [TableState], in folder: Folder, schemaVersion: Int,
        _ stamps: FileStamps? = nil
    ) {
        self.folder = folder
        self.schemaVersion = schemaVersion
        self.stamps = stamps
        self.transaction = transaction
        self.tables = tables
    }

    /// A later snapshot of the same storage, or the same one with other indexes.
    func with(_ tables: [TableState], upTo transaction: UInt64? = nil) -> Snapshot {
        Snapshot(
            transaction ?? self.transaction, tables, in: folder, schemaVersion: schemaVersion, stamps)
    }

    /// The same snapshot with all index pages in the writer's file, for a checkpoint.
    func written(by writer: PageWriter) throws -> Snapshot {
        var tables = tables
        for position in tables.indices where writer.isCopying || tables[position].changeCount > 0 {
            tables[position].indexes = try tables[position].indexes.map { try $0.written(by: writer) }
            tables[position].changeCount = 0
        }
        return with(tables)
    }

    /// The file with the pages of the indexes; nil when all are in memory.
    var pages: IndexFile? { tables.first?.pages }

    /// Whether the index file was found damaged, so that the indexes must be rebuilt.
    var isIndexDamaged: Bool { pages?.isDamaged ?? false }

    /// Whether no file has changed since the snapshot was taken.
    func isCurrent() throws -> Bool {
        guard let stamps else { return true }
        let names = tables.map(\.collection.name)
        return try !isIndexDamaged && stamps.isSameData(as: FileStamps(folder, names))
    }

    /// All stored collections: the requested ones, then the others.
    func schema(_ wanted: Schema?) -> Schema {
        Schema(version: schemaVersion, wanted?.collections ?? []).joined(with: tables.map(\.collection))
    }

    /// The position of the collection in ``tables``.
    ///
    /// - Throws: `unsupported` when it was not opened.
    func position(of collection: CollectionSchema) throws -> Int {
        if let position = tables.firstIndex(where: { $0.layout.collection === collection }) {
            return position
        }
        guard let position = tables.firstIndex(where: { $0.layout.collection.name == collection.name }) else {
            throw PatchbayError.notOpened(collection)
        }
        return position
    }
}

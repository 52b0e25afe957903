import PatchbayCore
import PatchbaySystem

/// Opens a folder: finds the last committed transaction, and brings the indexes up to it.
struct Opening {
    let path: FolderPath
    let options: FlatFileStorage.Options
    let progress: WorkProgress.Handler
    let scratch = Scratch()
    /// Whether to throw ``PatchbayCore/TakesLong`` instead of creating, migrating or indexing anything.
    let isShort: Bool
    /// The most bytes after the indexed parts of all files for which opening is short.
    private static let shortTailBytesMax = 1 << 17

    init(
        _ path: FolderPath, _ options: FlatFileStorage.Options, _ progress: @escaping WorkProgress.Handler,
        isShort: Bool = false
    ) {
        self.isShort = isShort
        self.path = path
        self.options = options
        self.progress = progress
    }

    /// The stored collections as the schema declares them, then the new ones. Stored collections that the schema lacks
    /// stay as they are.
    ///
    /// - Throws: `unsupported` when the stored schema is newer or differs in more than additions.
    func merge(_ schema: Schema?, _ stored: Schema) throws -> Schema {
        guard let schema else { return stored }
        _ = try schema.changes(from: stored)
        let collections = stored.collections.map { old in
            schema.collections.first { $0.name == old.name } ?? old
        }
        return Schema(version: schema.version, collections).joined(with: schema.collections)
    }

    /// The data files up to their last committed transaction, with their indexes.
    struct Found {
        let parts: [OpeningTable]
        /// The file with the pages of the indexes.
        let pages: IndexFile?
        /// The checkpoint on the disk.
        let checkpoint: Checkpoint?
        let transaction: UInt64

        var tables: [TableState] { parts.map(\.state) }

        /// Whether indexes were rebuilt, so that they should be written to files.
        var isRebuilt: Bool { parts.contains(where: \.isUnknown) }
    }

    /// - Parameters:
    ///   - files: the folder of the index files. With write access, an index file is created in it if necessary.
    ///   - usesCheckpoint: false to read all data again.
    func find(
        _ collections: [CollectionSchema], in folder: Folder, _ files: Folder?, _ access: OpenFile.Access,
        usingCheckpoint usesCheckpoint: Bool = true
    ) throws -> Found {
        let checkpoint = usesCheckpoint ? try files.flatMap { try Checkpoint(in: $0) } : nil
        let logs = try collections.map { try Log.open($0.name, in: folder, access) }
        var pages = try files.flatMap { files in
            try checkpoint.flatMap {
                try IndexFile($0, in: files, access, smallBytesMax: options.wholeCheckBytesMax)
            }
        }
        if isShort, pages == nil { throw TakesLong() }
        if pages == nil, access == .readingAndWriting { pages = try files.map { try IndexFile(in: $0) } }
        let parts = try zip(collections, logs).map { try OpeningTable($0, $1, checkpoint, pages) }
        let durable = max(checkpoint?.transaction ?? 0, logs.map(\.base).max() ?? 0)
        do {
            return try recover(parts, pages, checkpoint, from: durable)
        } catch let error as PatchbayError
            where error.code == .corrupted && error.index != nil && checkpoint != nil
        {
            // An index is damaged. Without the checkpoint all indexes are rebuilt.
            return try find(collections, in: folder, files, access, usingCheckpoint: false)
        }
    }

    /// Finds the last committed transaction, and enters the lines up to it into the indexes.
    ///
    /// - Parameter transaction: the last transaction known to be on the disk.
    func recover(
        _ parts: [OpeningTable], _ pages: IndexFile? = nil, _ checkpoint: Checkpoint? = nil,
        from transaction: UInt64
    ) throws -> Found {
        // Another process may be writing. Lengths of different moments make at most the last transactions incomplete.
        let lengths = parts.map(\.byteCount)
        if isShort {
            let tailBytes = zip(parts, lengths).reduce(0) { $0 + $1.1 - $1.0.state.length }
            guard tailBytes <= Opening.shortTailBytesMax, !parts.contains(where: \.isUnknown) else {
                throw TakesLong()
            }
        }
        let recovery = try Recovery(parts.map(\.state), to: lengths, from: transaction)
        let ends = recovery.tails.map(\.soundEnd), last = recovery.transaction
        let replayed = try zip(parts, ends).map { try $0.replayed(to: $1, scratch, progress) }
        return Found(parts: replayed, pages: pages, checkpoint: checkpoint, transaction: last)
    }
}

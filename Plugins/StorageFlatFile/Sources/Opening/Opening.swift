import PatchbayCore

/// Opens a folder: finds the last committed transaction, and brings the indexes up to it.
struct Opening {
    let path: FolderPath
    let options: FlatFileStorage.Options
    let progress: WorkProgress.Handler
    let scratch = Scratch()

    init(_ path: FolderPath, _ options: FlatFileStorage.Options, _ progress: @escaping WorkProgress.Handler) {
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

    /// Data files, and where each of them ends.
    struct Found {
        var parts: [OpeningTable]
        var ends: [Int]
        /// The file with the pages of the indexes.
        let pages: IndexFile?
        /// The checkpoint on the disk.
        let checkpoint: Checkpoint?
        /// The last committed transaction.
        var transaction: UInt64
        /// Whether indexes were rebuilt, so that they should be written to files.
        var isRebuilt: Bool { parts.contains(where: \.isUnknown) }

        /// - Parameter transaction: the last transaction known to be on the disk.
        init(
            _ parts: [OpeningTable], _ lengths: [Int], _ pages: IndexFile? = nil,
            _ checkpoint: Checkpoint? = nil, from transaction: UInt64
        ) throws {
            var recovery = try Recovery(parts.map(\.state), to: lengths, from: transaction)
            ends = try recovery.run()
            self.transaction = recovery.transaction
            self.parts = parts
            self.pages = pages
            self.checkpoint = checkpoint
        }

        /// Enters the lines after the checkpoint into the indexes.
        mutating func replay(_ scratch: Scratch, _ progress: WorkProgress.Handler) throws {
            for position in parts.indices {
                try parts[position].replay(to: ends[position], scratch, progress)
            }
        }

        var tables: [TableState] { parts.map(\.state) }
    }

    /// - Parameters:
    ///   - files: the folder of the index files. With write access, an index file is created in it if necessary.
    ///   - usesCheckpoint: false to read all data again.
    func find(
        _ collections: [CollectionSchema], in folder: Folder, _ files: Folder?, _ access: DiskFile.Access,
        usingCheckpoint usesCheckpoint: Bool = true
    ) throws -> Found {
        let checkpoint = usesCheckpoint ? try files.flatMap { try Checkpoint(in: $0) } : nil
        let logs = try collections.map { try Log.open($0.name, in: folder, access) }
        // Another process may be writing. Lengths of different moments make at most the last transactions incomplete.
        let lengths = try logs.map { try $0.file.byteCount() }
        var pages = try files.flatMap { files in
            try checkpoint.flatMap {
                try IndexFile($0, in: files, access, smallBytesMax: options.wholeCheckBytesMax)
            }
        }
        if pages == nil, access == .readWrite { pages = try files.map { try IndexFile(in: $0) } }
        let parts = try zip(collections, zip(logs, lengths)).map { collection, file in
            try OpeningTable(collection, file.0, byteCount: file.1, checkpoint, pages)
        }
        let durable = max(checkpoint?.transaction ?? 0, logs.map(\.base).max() ?? 0)
        var found = try Found(parts, lengths, pages, checkpoint, from: durable)
        do {
            try found.replay(scratch, progress)
        } catch let error as PatchbayError
            where error.code == .corrupted && error.index != nil && checkpoint != nil
        {
            // An index is damaged. Without the checkpoint all indexes are rebuilt.
            return try find(collections, in: folder, files, access, usingCheckpoint: false)
        }
        return found
    }
}

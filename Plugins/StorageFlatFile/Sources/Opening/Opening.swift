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

    /// Whether writes must be synced before anything relies on them.
    var isSynced: Bool { options.durability != .off }

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
        /// The last committed transaction.
        var transaction: UInt64
        /// Whether indexes were rebuilt, so that they should be written to files.
        var isRebuilt: Bool { parts.contains(where: \.isUnknown) }

        /// - Parameter transaction: the last transaction known to be on the disk.
        init(
            _ parts: [OpeningTable], _ lengths: [Int], _ pages: IndexFile? = nil, from transaction: UInt64
        ) throws {
            let tails = try zip(parts, lengths).map { part, length in
                try LogTail(
                    part.state.log, from: part.state.length, to: length,
                    lastTransaction: part.state.lastCommit)
            }
            var recovery = Recovery(tails, from: transaction)
            ends = try recovery.run()
            self.transaction = recovery.transaction
            self.parts = parts
            self.pages = pages
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
    ///   - beforeRebuild: runs before a file is read completely despite a checkpoint.
    func find(
        _ collections: [CollectionSchema], in folder: Folder, _ files: Folder?, _ checkpoint: Checkpoint?,
        _ access: DiskFile.Access, beforeRebuild: () throws -> Void = {}
    ) throws -> Found {
        let logs = try collections.map { try Log.open($0.name, in: folder, access) }
        let lengths = try Opening.lengths(logs)
        var pages = try files.flatMap { files in
            try checkpoint.flatMap { try IndexFile($0, in: files, access) }
        }
        if pages == nil, access == .readWrite { pages = try files.map { try IndexFile(in: $0) } }
        let isSmall = try pages.map { try $0.byteCount() <= options.wholeCheckBytesMax } ?? false
        let parts = try zip(collections, zip(logs, lengths)).map { collection, file in
            try OpeningTable(
                collection, file.0, byteCount: file.1, checkpoint, pages, withLeaves: isSmall)
        }
        if checkpoint != nil, parts.contains(where: \.isUnknown) { try beforeRebuild() }
        let durable = max(checkpoint?.transaction ?? 0, logs.map(\.base).max() ?? 0)
        var found = try Found(parts, lengths, pages, from: durable)
        do {
            try found.replay(scratch, progress)
        } catch let error as PatchbayError
            where error.code == .corrupted && error.index != nil && checkpoint != nil
        {
            // An index is damaged. Without the checkpoint all indexes are rebuilt.
            return try find(collections, in: folder, files, nil, access)
        }
        return found
    }

    /// Returns the lengths that all files had at one moment, although another process may be writing to them.
    static func lengths(_ logs: [Log]) throws -> [Int] {
        var lengths = try logs.map { try $0.file.byteCount() }
        // A commit takes longer than reading the lengths, so two equal readings are consistent; if they are not, later
        // checks notice.
        for _ in 0..<100 {
            let again = try logs.map { try $0.file.byteCount() }
            if again == lengths { break }
            lengths = again
        }
        return lengths
    }
}

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

/// Opening for reading, possibly while another process writes: without the lock, and without writing a byte. New
/// index entries stay in memory.
///
/// Data files only grow, so the lines that a reader has seen stay. When the writer replaces a file while the folder is
/// being read, the files may not match each other, so the reader tries again.
extension Opening {
    private static let attemptsMax = 20
    /// With more changes in memory than this, a reader opens the folder again once the writer has moved them to the
    /// index file.
    private static let changesMax = 1 << 13

    /// - Parameter usesFiles: false to ignore the index files because one is damaged.
    /// - Throws: `unsupported` when the storage would have to be migrated to be read.
    func openForReading(_ schema: Schema?, usingFiles usesFiles: Bool = true) throws -> Snapshot {
        var attempts = 0
        while true {
            attempts += 1
            let folder = try path.open()
            guard try folder.holdsStorage() else { throw StoragePlace.notFound(path.text) }
            let schemaStamp = try folder.status(FileName.schema)?.stamp
            let stored = try SchemaFile.read(in: folder, expecting: schema)
            let names = stored.collections.map(\.name)
            // Its creation has not finished.
            if names.isEmpty { throw StoragePlace.notFound(path.text) }
            let stamps = try FileStamps(folder, names), isLast = attempts == Opening.attemptsMax
            guard stamps.schema == schemaStamp || isLast else { continue }
            do {
                try schema?.checkReads(stored)
                let hasFiles = try usesFiles && folder.kind(FileName.index) != nil
                let files = hasFiles ? try folder.folder(FileName.index) : nil
                let found = try find(merge(schema, stored).collections, in: folder, files, .reading)
                return Snapshot(
                    found.transaction, found.tables, in: folder, schemaVersion: stored.version, stamps)
            } catch let error as PatchbayError where [.corrupted, .notFound].contains(error.code) && !isLast {
                // Not found means an index file that the writer has just removed.
                if try stamps == FileStamps(folder, names) { throw error }
            }
        }
    }

    /// Returns the snapshot after the later commits of other processes.
    func follow(_ snapshot: Snapshot, _ schema: Schema?) throws -> Snapshot {
        let tables = snapshot.tables
        let stamps = try FileStamps(snapshot.folder, tables.map(\.collection.name))
        guard let old = snapshot.stamps, canFollow(snapshot, old, stamps) else {
            return try openForReading(schema, usingFiles: !snapshot.isIndexDamaged)
        }
        do {
            let found = try recover(tables.map { try OpeningTable($0) }, from: snapshot.transaction)
            return Snapshot(
                found.transaction, found.tables, in: snapshot.folder,
                schemaVersion: snapshot.schemaVersion, stamps)
        } catch let error as PatchbayError where error.code == .corrupted {
            return try openForReading(schema)
        }
    }

    /// Whether the open files contain all later commits.
    private func canFollow(_ snapshot: Snapshot, _ old: FileStamps, _ new: FileStamps) -> Bool {
        let areEntriesInFiles = new.checkpoint != old.checkpoint
        if snapshot.isIndexDamaged || old.schema != new.schema { return false }
        if areEntriesInFiles, snapshot.tables.contains(where: { $0.changeCount > Opening.changesMax }) {
            return false
        }
        return zip(snapshot.tables, zip(old.logs, new.logs)).allSatisfy { table, logs in
            logs.1 != nil && logs.0?.identity == logs.1?.identity && logs.1!.bytes >= table.length
        }
    }
}

/// A collection while its storage is being opened.
struct OpeningTable {
    private(set) var state: TableState
    /// Whether all lines must be read, because no usable index files are known.
    private(set) var isUnknown = true
    /// The length up to which the file is known to be on the disk.
    private var syncedLength = 0
    /// The length of the file when all files were open. Its lines up to there are read.
    let byteCount: Int

    /// Starts from the checkpoint's entry for the file, or without one from the start of the file.
    ///
    /// - Parameter pages: the file with the pages of the indexes, if any.
    init(
        _ collection: CollectionSchema, _ log: Log, _ checkpoint: Checkpoint?, _ pages: IndexFile?
    ) throws {
        state = TableState(LineLayout(collection), log, pages)
        // A reader has opened all files by now, so that this one has the transactions before the start of any of them.
        byteCount = try log.file.unwrittenByteCount()
        guard let checkpoint, let known = try checkpoint.state(state, of: byteCount) else { return }
        state = known
        isUnknown = false
        syncedLength = checkpoint.isSynced ? known.length : 0
    }

    /// Continues from a state that was read before.
    init(_ state: TableState) throws {
        self.state = state
        byteCount = try state.log.file.byteCount()
        isUnknown = false
    }

    /// Cuts off the lines that are not committed, and syncs the others, even if an earlier opener did not.
    func cut(isSynced: Bool) throws {
        let end = state.length, hasTail = byteCount > end
        if hasTail { try state.log.file.truncate(to: end) }
        // Otherwise the tail could come back after a power cut and corrupt the lines written since.
        if isSynced, hasTail || end > syncedLength { try state.log.file.sync() }
    }

    /// Returns the collection after the lines up to `end` were entered into the indexes.
    ///
    /// - Throws: `conflict` when two rows violate a new unique index.
    func replayed(
        to end: Int, _ scratch: Scratch, _ progress: WorkProgress.Handler
    ) throws -> OpeningTable {
        if !isUnknown, end == state.length { return self }
        let table = WorkingTable(state, Scratch()), task = "reading \(state.collection.name).jsonl"
        let scan = LogScan(state.log, from: state.length, to: end)
        var lineCount = 0
        while let kind = try scan.next() {
            if isUnknown, lineCount % 16384 == 0 {
                progress(WorkProgress(task, done: scan.place.offset, of: end))
            }
            lineCount += 1
            try table.enter(kind, scan, scratch)
        }
        var replayed = self
        replayed.state = table.state
        guard isUnknown else { return replayed }
        progress(WorkProgress(task, done: end, of: end))
        if table.hadConflict { try replayed.checkUnique(scratch) }
        return replayed
    }

    /// Refuses a unique index that two rows violate.
    private func checkUnique(_ scratch: Scratch) throws {
        let collection = state.collection, entries = RowEntries(indexesMax: collection.indexes.count)
        for (position, index) in state.declaredIndexes.enumerated() where index.isUnique {
            var cursor = try state.indexes[position].walk(), last: [UInt8] = []
            while let place = try cursor.next() {
                try state.visitRow(at: place, nil, scratch) { try entries.fill($0, collection) }
                guard entries[position].isUnique else { continue }
                let part = unsafe entries[position].own
                if unsafe part.elementsEqual(last) { throw PatchbayError.conflict(collection, index) }
                last = unsafe Array(part)
            }
        }
    }
}

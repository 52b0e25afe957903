import PatchbayCore

/// Opens a folder: makes it, or brings what is there to the last transaction that counts.
struct Opening {
    let layout: FolderLayout
    let disk: Disk
    /// Whether what is written must be on the disk before it is relied on.
    let isSynced: Bool
    /// Index files up to this size are checked whole.
    let wholeCheckBytesMax: Int
    let progress: WorkProgress.Handler
    private let scratch = Scratch()

    init(
        layout: FolderLayout, disk: Disk, isSynced: Bool, wholeCheckBytesMax: Int,
        progress: @escaping WorkProgress.Handler
    ) {
        self.layout = layout
        self.disk = disk
        self.isSynced = isSynced
        self.wholeCheckBytesMax = wholeCheckBytesMax
        self.progress = progress
    }

    /// What is open then.
    struct Outcome {
        var snapshot: Snapshot
        var lock: FolderLock
        var folder: RunFolder
        var schema: SchemaFile
        /// Whether the index files and the checkpoint should be written anew.
        var isCheckpointDue: Bool
    }

    /// - Throws: `unsupported` when the stored schema is newer or differs in more than additions; `corrupted`.
    func run(_ schema: Schema) throws -> Outcome {
        let exists = try layout.prepare(disk)
        let lock = try FolderLock(layout, disk)
        let stored = exists ? try SchemaFile.read(layout, disk) : nil
        let wanted = try merge(schema, stored)
        if let stored, stored.version < wanted.version {
            try SchemaBackup(layout: layout, stored: stored, version: wanted.version, disk: disk).run(
                progress)
        }
        let checkpoint = exists ? try Checkpoint.read(layout, disk) : nil
        let folder = try RunFolder(layout.index, isSynced: isSynced, disk)
        let (snapshot, isRebuilt): (Snapshot, Bool)
        do {
            (snapshot, isRebuilt) = try open(wanted, stored, checkpoint, folder)
        } catch let error as PatchbayError where error.context["index"] != nil {
            // An index file is damaged: without the checkpoint all are made anew.
            (snapshot, isRebuilt) = try open(wanted, stored, nil, folder)
        }
        return Outcome(
            snapshot: snapshot, lock: lock, folder: folder, schema: wanted, isCheckpointDue: isRebuilt)
    }

    /// The stored collections as they are wanted now, then the new ones. Those not wanted stay as they are.
    private func merge(_ schema: Schema, _ stored: SchemaFile?) throws -> SchemaFile {
        guard let stored else { return SchemaFile(version: schema.version, collections: schema.collections) }
        guard stored.version <= schema.version else {
            throw PatchbayError(
                .unsupported,
                "\"\(layout.path)\" has the schema version \(stored.version), this program knows \(schema.version); "
                    + "use a newer version")
        }
        var wanted = SchemaFile(version: schema.version, collections: [])
        for old in stored.collections {
            let new = schema.collections.first { $0.name == old.name }
            if let new { _ = try new.migration(from: old) }
            wanted.collections.append(new ?? old)
        }
        let known = Set(stored.collections.map(\.name))
        wanted.collections += schema.collections.filter { !known.contains($0.name) }
        return wanted
    }

    private func open(
        _ wanted: SchemaFile, _ stored: SchemaFile?, _ checkpoint: Checkpoint?, _ folder: RunFolder
    ) throws -> (Snapshot, Bool) {
        let storedCount = stored?.collections.count ?? 0
        var parts = try wanted.collections.prefix(storedCount).map { collection in
            try OpeningTable(collection, layout, checkpoint, wholeCheckBytesMax, disk)
        }
        let durable = max(checkpoint?.transaction ?? 0, parts.map(\.state.log.base).max() ?? 0)
        let tails = try parts.map { part in
            try LogTail(part.state.log, from: part.state.length, lastTransaction: part.state.lastCommit)
        }
        var recovery = Recovery(tails, from: durable)
        let ends = try recovery.run()
        for (part, end) in zip(parts, ends) { try part.cut(at: end, isSynced: isSynced) }
        var isRebuilt = checkpoint == nil
        for position in parts.indices {
            isRebuilt = try parts[position].replay(to: ends[position], folder, scratch, progress) || isRebuilt
        }
        try removeUnfinished()
        try removeUnusedRuns(parts, checkpoint, folder)
        let new = try wanted.collections.dropFirst(storedCount).map { try create($0) }
        try writeSchema(wanted, stored)
        return (Snapshot(recovery.transaction, parts.map(\.state) + new), isRebuilt || !new.isEmpty)
    }

    /// Removes what a crash left of files that were being made.
    private func removeUnfinished() throws {
        for name in try disk.names(in: layout.path) where name.hasSuffix(FolderLayout.unfinished) {
            try disk.remove("\(layout.path)/\(name)")
        }
    }

    /// Removes index files that a crash left. The checkpoint on the disk still names those it was opened by.
    private func removeUnusedRuns(
        _ parts: [OpeningTable], _ checkpoint: Checkpoint?, _ folder: RunFolder
    ) throws {
        let known = parts.compactMap { checkpoint?.table($0.state.log) }.flatMap(\.runs).map(\.number)
        let held = parts.flatMap(\.state.indexes).flatMap(\.runs).map(\.number)
        try folder.removeAll(but: Set(known).union(held))
    }

    /// Makes the file of a new collection.
    private func create(_ collection: Collection) throws -> TableState {
        let path = layout.data(collection.name)
        let log = try Log.create(path, collection.name, base: 0, disk)
        if isSynced { try log.file.sync() }
        try disk.rename(path + FolderLayout.unfinished, to: path)
        return TableState(LineLayout(collection), log)
    }

    private func writeSchema(_ wanted: SchemaFile, _ stored: SchemaFile?) throws {
        let isSame =
            stored?.version == wanted.version
            && stored?.collections.map(\.definition) == wanted.collections.map(\.definition)
        if isSame { return }
        if isSynced { try disk.syncFolder(layout.path) }
        try wanted.write(layout, isSynced: isSynced, disk)
        if isSynced { try disk.syncFolder(FolderLayout.parent(of: layout.path)) }
    }
}

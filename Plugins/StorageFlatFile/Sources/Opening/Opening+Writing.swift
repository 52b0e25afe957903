import PatchbayCore
import PatchbaySystem

/// Opening for writing, with the folder's lock: creates the storage, or removes what a crash left.
extension Opening {
    /// - Returns: the state, and whether the index files and the checkpoint should be written again.
    /// - Throws: `unsupported` when the stored schema is newer or differs in more than additions, `corrupted` when a
    ///   file is damaged.
    func openForWriting(
        _ opening: StorageOpening, _ folder: Folder
    ) throws -> (snapshot: Snapshot, isCheckpointDue: Bool) {
        var stored = Schema(version: 0, [])
        let names = try folder.names()
        if try folder.holdsStorage(names) {
            stored = try SchemaFile.read(in: folder, expecting: opening.schema)
        }
        // There is a schema without collections when a process was killed while it created the storage.
        if stored.collections.isEmpty {
            if isShort { throw TakesLong() }
            stored = try create(opening, folder)
        }
        let wanted = try merge(opening.schema, stored)
        let isUpToDate = stored.version == wanted.version && stored.collections == wanted.collections
        let hasIndex = names.contains(FileName.index)
        if isShort, !isUpToDate || !hasIndex { throw TakesLong() }
        let files =
            try !hasIndex && folder.kind(FileName.index) == nil
            ? folder.makeFolder(FileName.index) : folder.folder(FileName.index)
        if stored.version < wanted.version {
            try keepCopy(stored, before: wanted.version, folder, files)
        }
        let count = stored.collections.count
        let found = try find(Array(wanted.collections.prefix(count)), in: folder, files, .readingAndWriting)
        for part in found.parts { try part.cut(isSynced: options.isSynced) }
        // A crash may have left others. The checkpoint that is still on the disk needs its own.
        try files.removePages { ![found.pages!.number, found.checkpoint?.file].contains($0) }
        let new = try wanted.collections.dropFirst(count).map { try create($0, in: folder, found.pages!) }
        try write(wanted, over: stored, in: folder)
        try removeUnfinished(wanted, names, folder)
        let snapshot = Snapshot(
            found.transaction, found.tables + new, in: folder, schemaVersion: wanted.version)
        return (snapshot, found.isRebuilt || !new.isEmpty)
    }

    /// Keeps a copy next to the folder before a migration to a newer schema: `NAME.before-schema-N`. An existing copy
    /// is replaced: it comes from a migration that did not finish, because the stored schema is still the older one.
    private func keepCopy(_ stored: Schema, before version: Int, _ folder: Folder, _ files: Folder) throws {
        let target = FolderPath(path.text + ".before-schema-\(version)", path.disk)
        let found = try find(stored.collections, in: folder, files, .reading)
        let snapshot = Snapshot(
            found.transaction, found.tables, in: folder, schemaVersion: stored.version)
        try Backup(snapshot: snapshot, target: target, isReplacing: true).run(progress)
    }

    /// Creates a storage without collections, to which those of the schema are then added.
    private func create(_ opening: StorageOpening, _ folder: Folder) throws -> Schema {
        guard opening.access == .creating, let schema = opening.schema else {
            throw StoragePlace.notFound(path.text)
        }
        let empty = Schema(version: schema.version, [])
        try SchemaFile.write(empty, in: folder, isSynced: options.isSynced)
        if options.isSynced { try path.openParent().sync() }
        return empty
    }

    /// Removes unfinished files that a crash left.
    private func removeUnfinished(_ schema: Schema, _ names: [String], _ folder: Folder) throws {
        for name in names where name.hasSuffix(FileName.unfinished) {
            let finished = name.dropLast(FileName.unfinished.count)
            let isOurs =
                finished == FileName.schema
                || schema.collections.contains { FileName.data($0.name) == finished }
            // It may have got its name meanwhile.
            if isOurs, try folder.kind(name) != nil { try folder.remove(name) }
        }
    }

    /// Creates the file of a new collection.
    private func create(_ collection: CollectionSchema, in folder: Folder, _ pages: IndexFile) throws
        -> TableState
    {
        let name = FileName.data(collection.name)
        guard try folder.kind(name) == nil || folder.isEmptyLog(collection.name) else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(folder.path(name))\" has the name of a new collection's file; move it away")
        }
        let log = try Log.create(collection.name, in: folder, base: 0)
        if options.isSynced { try log.file.sync() }
        try folder.rename(name + FileName.unfinished, to: name)
        return TableState(LineLayout(collection), log, pages)
    }

    private func write(_ wanted: Schema, over stored: Schema, in folder: Folder) throws {
        if stored.version == wanted.version, stored.collections == wanted.collections { return }
        progress(WorkProgress(SchemaChange.task, done: 0))
        if options.isSynced { try folder.sync() }
        try SchemaFile.write(wanted, in: folder, isSynced: options.isSynced)
    }
}

extension Folder {
    /// Removes unused index files; readers that have one open keep its bytes.
    func removePages(where isUnused: (UInt64) -> Bool) throws {
        for name in try names() {
            if let number = FileName.pagesNumber(name), isUnused(number) { try remove(name) }
        }
    }

    /// Whether the folder contains a storage; false when it is empty, or a process was killed before it had created the
    /// schema, which is a storage's first file.
    ///
    /// - Throws: `invalidConfiguration` when the folder contains anything else.
    func holdsStorage() throws -> Bool { try holdsStorage(names()) }

    /// - Parameter names: those of the files in the folder.
    fileprivate func holdsStorage(_ names: [String]) throws -> Bool {
        if names.contains(FileName.schema) { return true }
        let leftOver = [FileName.lock, FileName.schema + FileName.unfinished]
        guard let foreign = names.first(where: { !leftOver.contains($0) }) else { return false }
        // The process that was creating it may just have finished.
        if try kind(FileName.schema) != nil { return true }
        throw PatchbayError(
            .invalidConfiguration,
            "\"\(path)\" holds \"\(foreign)\" but no schema.json, so it is not a storage; set another path")
    }

    /// Whether a collection's file has no line after its header, as when its creation did not finish.
    fileprivate func isEmptyLog(_ collectionName: String) throws -> Bool {
        do {
            let log = try Log.open(collectionName, in: self, .reading)
            return try log.file.byteCount() == log.headerBytes
        } catch let error as PatchbayError where [.corrupted, .invalidConfiguration].contains(error.code) {
            return false
        }
    }
}

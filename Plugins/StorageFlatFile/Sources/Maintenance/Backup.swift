import PatchbayCore
import PatchbaySystem

/// Copies a snapshot to a new folder, while readers and the writer continue. The folder gets its name only when
/// everything in it is on the disk.
struct Backup {
    let snapshot: Snapshot
    let target: FolderPath
    /// Whether to remove an existing storage at the target, and the rest of an attempt that was killed.
    var isReplacing = false

    /// - Throws: `conflict` when the target exists, or, when replacing, is not a storage; `corrupted` when a line or an
    ///   index page is damaged. Nothing is left at the target then.
    func run(_ progress: WorkProgress.Handler) throws {
        let parent = try target.openParent()
        let unfinished =
            isReplacing
            ? StoragePlace.unfinishedReplacement(target.name) : StoragePlace.unfinished(target.name)
        if isReplacing { for name in [target.name, unfinished] { try parent.removeStorage(name) } }
        try StoragePlace.checkIsFree(at: target.text)
        let aside = try parent.makeFolder(unfinished)
        do {
            try fill(aside, progress)
            try place(unfinished, in: parent)
        } catch {
            // The first error says more.
            try? parent.removeStorage(unfinished)
            throw error
        }
        try parent.sync()
    }

    private func place(_ unfinished: String, in parent: Folder) throws {
        try StoragePlace.checkIsFree(at: target.text)
        do { try parent.rename(unfinished, to: target.name) } catch {
            // Another process may just have created it.
            try StoragePlace.checkIsFree(at: target.text)
            throw error
        }
    }

    private func fill(_ aside: Folder, _ progress: WorkProgress.Handler) throws {
        let files = try aside.makeFolder(FileName.index)
        let copied = try snapshot.with(snapshot.tables.map { try copy($0, aside, progress) })
        let writer = try PageWriter(IndexFile(in: files), copying: true)
        try Checkpoint.write(copied.written(by: writer), writer.pages, isSynced: true)
        try SchemaFile.write(snapshot.schema(nil), in: aside, isSynced: true)
        try files.sync()
        try aside.sync()
    }

    /// Copies the data file of a collection.
    private func copy(_ table: TableState, _ aside: Folder, _ progress: WorkProgress.Handler) throws
        -> TableState
    {
        let name = table.collection.name
        try copyLines(table, aside.open(FileName.data(name), .creating), progress)
        var copied = table
        copied.log = try Log.open(name, in: aside, .reading)
        return copied
    }

    private func copyLines(_ table: TableState, _ file: DiskFile, _ progress: WorkProgress.Handler) throws {
        let log = table.log, buffer = ByteBuffer(capacity: 1 << 20)
        buffer.count = try unsafe log.file.read(log.headerBytes, at: 0, into: buffer.base)
        let task = "copying \(log.collectionName).jsonl"
        let scan = LogScan(log, from: log.headerBytes, to: table.length)
        var written = 0
        func writeOut() throws {
            try Task.checkCancellation()
            try buffer.withBytes { try file.write($0, at: written) }
            written += buffer.count
            buffer.count = 0
            progress(WorkProgress(task, done: written, of: table.length))
        }
        while let kind = try scan.next() {
            if case .damaged = kind { throw scan.damaged }
            unsafe buffer.append(UnsafeRawBufferPointer(start: scan.line, count: scan.place.length))
            if buffer.count > 1 << 19 { try writeOut() }
        }
        try writeOut()
        try file.sync()
    }
}

extension Folder {
    /// Removes a storage's folder from this one, if it exists.
    ///
    /// - Throws: `conflict` when it is not a storage's folder, or contains a file that is not a storage's. Nothing is
    ///   removed then.
    func removeStorage(_ name: String) throws {
        if try kind(name) == nil { return }
        try checkIsStorage(name)
        try removeFolder(name)
    }

    /// Throws unless the name is that of a folder whose files and index folder may be a storage's.
    private func checkIsStorage(_ name: String) throws {
        guard try kind(name) == .folder else { throw foreign(name) }
        let folder = try folder(name), isIndex = name == FileName.index
        for name in try folder.names() {
            if !isIndex, name == FileName.index {
                try folder.checkIsStorage(name)
            } else if try !FileName.isOwn(name, inIndex: isIndex) || folder.kind(name) == .folder {
                throw folder.foreign(name)
            }
        }
    }

    private func foreign(_ name: String) -> PatchbayError {
        PatchbayError(
            .conflict, "\"\(path(name))\" is in the way and is not part of a storage; move it and try again",
            [.file(path(name))])
    }
}

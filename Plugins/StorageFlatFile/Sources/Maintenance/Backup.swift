import PatchbayCore

/// Copies a snapshot to a new folder, while readers and the writer continue.
struct Backup {
    let snapshot: Snapshot
    let target: FolderPath

    /// - Throws: `conflict` when the target exists, `corrupted` when a line or an index page is damaged. Nothing is
    ///   left at the target then.
    func run(_ progress: WorkProgress.Handler) throws {
        try NewFolder(path: target).make { aside, files in
            let tables = try snapshot.tables.map { try copy($0, aside, progress) }
            try writeCheckpoint(tables, files)
            try SchemaFile.write(snapshot.schema(nil), in: aside, isSynced: true)
        }
    }

    /// Copies the data file of a collection.
    private func copy(_ table: TableState, _ aside: Folder, _ progress: WorkProgress.Handler) throws
        -> TableState
    {
        let name = table.collection.name
        try copyLines(table, aside.open(FileName.data(name), .create), progress)
        var copied = table
        copied.log = try Log.open(name, in: aside, .read)
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

    /// Copies the pages of the indexes, then writes the checkpoint of the copy.
    private func writeCheckpoint(_ tables: [TableState], _ files: Folder) throws {
        let writer = try PageWriter(IndexFile(in: files), copying: true)
        try Checkpoint.write(
            tables.map { try $0.written(by: writer) }, upTo: snapshot.transaction, writer.file, in: files,
            isSynced: true)
    }
}

import PatchbayCore

/// Copies a snapshot to a new folder, while readers and the writer continue.
struct Backup {
    let snapshot: Snapshot
    let schemaVersion: Int
    let target: FolderPath

    /// - Throws: `conflict` when the target exists, `corrupted` when a line or an index page is damaged. Nothing is
    ///   left at the target then.
    func run(_ progress: WorkProgress.Handler) throws {
        try NewFolder(path: target).make { aside, files in
            let tables = try snapshot.tables.map { try copy($0, aside, files, progress) }
            try writeCheckpoint(tables, files)
            let collections = snapshot.tables.map(\.collection)
            try SchemaFile(version: schemaVersion, collections: collections).write(in: aside, isSynced: true)
        }
    }

    /// Copies the data file and the runs of a collection; its entries in memory are written later.
    private func copy(
        _ table: TableState, _ aside: Folder, _ files: Folder, _ progress: WorkProgress.Handler
    ) throws -> TableState {
        let name = table.collection.name
        try copyLines(table, aside.open(FileName.data(name), .create), progress)
        var copied = table
        copied.log = try Log.open(name, in: aside, .read)
        for position in table.indexes.indices {
            copied.indexes[position].runs = try table.indexes[position].runs.map { run in
                let name = FileName.run(run.number)
                try run.copy(to: files.open(name, .create))
                guard let copy = try Run(files.open(name, .read)) else { throw run.damaged(0) }
                return copy
            }
        }
        return copied
    }

    private func copyLines(_ table: TableState, _ file: DiskFile, _ progress: WorkProgress.Handler) throws {
        let log = table.log, buffer = ByteBuffer(capacity: 1 << 20)
        buffer.count = try log.file.read(log.headerBytes, at: 0, into: buffer.base)
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
            if case .damaged = kind { throw log.damaged(at: scan.place.offset) }
            buffer.append(UnsafeRawBufferPointer(start: scan.line, count: scan.place.length))
            if buffer.count > 1 << 19 { try writeOut() }
        }
        try writeOut()
        try file.sync()
    }

    /// Writes the entries in memory to runs of the copy, then its checkpoint.
    private func writeCheckpoint(_ tables: [TableState], _ files: Folder) throws {
        let runs = try RunFolder(files, isSynced: true)
        var checkpoint = Checkpoint(transaction: snapshot.transaction, isSynced: true)
        for table in tables {
            var table = table
            try table.flush(runs, .none)
            checkpoint.tables.append(try Checkpoint.Table(table))
        }
        try checkpoint.write(in: files, isSynced: true)
    }
}

extension Run {
    /// Checks and copies every page, then copies the bytes after them.
    fileprivate func copy(to file: DiskFile) throws {
        let chunk = 256
        for first in stride(from: 0, to: pageCount, by: chunk) {
            let next = min(first + chunk, pageCount)
            for index in first..<next where !isSound(index) { throw damaged(index) }
            let start = first * PageView.byteCount
            try write(start..<(next * PageView.byteCount), to: file)
        }
        try write((pageCount * PageView.byteCount)..<byteCount, to: file)
        try file.sync()
    }
}

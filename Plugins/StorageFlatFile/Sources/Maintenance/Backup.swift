import PatchbayCore

/// Copies what holds at one moment to a new folder, while readers and the writer go on.
struct Backup {
    let snapshot: Snapshot
    let source: FolderLayout
    let target: FolderLayout
    let disk: Disk

    /// - Throws: `conflict` when the target is there, `corrupted` when a line or an index page is damaged; nothing is
    ///   left at the target then.
    func run(_ progress: WorkProgress.Handler) throws {
        try NewFolder(layout: target, disk: disk).make { aside in
            try disk.makeFolder(aside.index)
            let tables = try snapshot.tables.map { try copy($0, aside, progress) }
            try writeCheckpoint(tables, aside)
            try SchemaFile.read(source, disk).write(aside, isSynced: true, disk)
        }
    }

    /// Copies the data file and the runs of a collection; the entries in memory stay there.
    private func copy(_ table: TableState, _ aside: FolderLayout, _ progress: WorkProgress.Handler) throws
        -> TableState
    {
        let path = aside.data(table.collection.name)
        try copyLines(table, DiskFile(path, .create, disk), progress)
        var copied = table
        copied.log = try Log.open(path, table.collection.name, disk)
        for position in table.indexes.indices {
            copied.indexes[position].runs = try table.indexes[position].runs.map { run in
                let path = "\(aside.index)/\(run.number).run"
                try run.copy(to: DiskFile(path, .create, disk))
                guard let copy = try Run(path, disk) else { throw run.damaged(0) }
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

    /// Writes the entries in memory to runs of the copy, then what the copy holds.
    private func writeCheckpoint(_ tables: [TableState], _ aside: FolderLayout) throws {
        let folder = try RunFolder(aside.index, isSynced: true, disk)
        var checkpoint = Checkpoint(transaction: snapshot.transaction)
        for table in tables {
            var table = table
            try table.flush(folder, .none)
            checkpoint.tables.append(try Checkpoint.Table(table))
        }
        try checkpoint.write(aside, isSynced: true, disk)
    }
}

extension Run {
    /// Copies every page, checked, and what stands behind them.
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

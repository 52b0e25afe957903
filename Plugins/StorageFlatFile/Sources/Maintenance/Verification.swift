import PatchbayCore

/// Checks the files of a snapshot, each by itself and against the others, while readers and the writer continue.
struct Verification {
    let snapshot: Snapshot
    private var folder: Folder { snapshot.folder }

    func run(_ progress: WorkProgress.Handler) throws -> [StorageFault] {
        var faults = FaultList()
        // Without this folder, no index file is on the disk.
        let files = try folder.kind(FileName.index) == .folder ? folder.folder(FileName.index) : nil
        try checkSmallFiles(files, &faults)
        for table in snapshot.tables where !faults.isFull {
            let entryCounts = try checkIndexes(table, progress, &faults)
            var check = LogCheck(table, usingIndexes: !entryCounts.contains(nil))
            try check.run(progress, &faults)
            // Damaged lines are reported already, and missing entries would only follow from them.
            guard !check.isDamaged, !faults.isFull else { continue }
            for (index, count) in zip(table.declaredIndexes, entryCounts.compactMap { $0 })
            where !entryCounts.contains(nil) && count != check.liveCount {
                faults.add(
                    table.log.file.path, nil,
                    "the index \(index.name) has \(count) entries for \(check.liveCount) rows")
            }
        }
        if faults.faults.isEmpty { try checkTransactions(&faults) }
        return faults.faults
    }

    private func checkSmallFiles(_ files: Folder?, _ faults: inout FaultList) throws {
        do {
            _ = try SchemaFile.read(in: folder)
        } catch let error as PatchbayError where error.code == .corrupted {
            faults.add(folder.path(FileName.schema), "byte 0", "was edited or damaged")
        }
        // The writer removes it when it finds a damaged index, and opening without it reads the data.
        guard let files, (try? files.kind(FileName.checkpoint)) == .file else { return }
        // It may be removed or replaced at this moment, so look again before reporting it.
        let path = files.path(FileName.checkpoint)
        if (try? Checkpoint(in: files)) != nil { return }
        guard (try? files.kind(FileName.checkpoint)) == .file else { return }
        faults.add(path, "byte 0", "is damaged; the next open rebuilds the indexes")
    }

    /// Reads the pages of a collection's indexes again and returns the number of entries in each; nil for a damaged
    /// one.
    private func checkIndexes(
        _ table: TableState, _ progress: WorkProgress.Handler, _ faults: inout FaultList
    ) throws -> [Int?] {
        try zip(table.declaredIndexes, table.indexes).map { index, held in
            let task = "checking the index \(index.name) of \(table.collection.name)"
            progress(WorkProgress(task, done: 0, of: held.pageCount))
            try Task.checkCancellation()
            return try held.root.map { try entryCount($0, held.file, &faults) } ?? 0
        }
    }

    private func entryCount(_ child: Child, _ pages: IndexFile?, _ faults: inout FaultList) throws -> Int? {
        let isBranch = child.page?.isLeaf == false
        var page = child.page
        if let reference = child.reference, let pages {
            page = try pages.read(reference, asBranch: isBranch)
            if page == nil { return try addFault(reference, pages, &faults) }
        }
        guard isBranch, let children = child.page?.children else { return page?.count }
        var count: Int? = 0
        for child in children where !faults.isFull {
            let more = try entryCount(child, pages, &faults)
            count = more.flatMap { more in count.map { $0 + more } }
        }
        return count
    }

    private func addFault(_ page: PageReference, _ pages: IndexFile, _ faults: inout FaultList) throws -> Int?
    {
        let start = page.number * Page.byteCount
        if try pages.byteCount() < start + Page.byteCount {
            faults.add(pages.path, nil, "is shorter than it was when it was opened")
        } else {
            let place = "page \(page.number), byte \(start)"
            faults.add(pages.path, place, "the checksum does not match")
        }
        return nil
    }

    /// Compares the commit marks of all files, as an opening without index files does.
    private func checkTransactions(_ faults: inout FaultList) throws {
        let tails = try snapshot.tables.map { table in
            try LogTail(table.log, from: table.log.headerBytes, to: table.length, lastTransaction: 0)
        }
        var recovery = Recovery(tails, from: snapshot.tables.map(\.log.base).max() ?? 0)
        do {
            let ends = try recovery.run()
            for (table, end) in zip(snapshot.tables, ends) where end != table.length {
                faults.add(
                    table.log.file.path, "byte \(end)",
                    "its commit marks and those of the other files name different transactions")
            }
        } catch let error as PatchbayError where error.code == .corrupted {
            faults.add(error.file, nil, "its commit marks lack a transaction that was on the disk")
        }
        if faults.faults.isEmpty, recovery.transaction != snapshot.transaction {
            faults.add(
                folder.path, nil,
                "the files end at transaction \(recovery.transaction), not \(snapshot.transaction)")
        }
    }
}

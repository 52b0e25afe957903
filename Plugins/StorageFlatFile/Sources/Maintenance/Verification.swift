import PatchbayCore
import PatchbaySystem

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
            let areSound = try checkIndexes(table, progress, &faults)
            var check = LogCheck(table, usingIndexes: areSound)
            try check.run(progress, &faults)
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

    /// Reads the pages of a collection's indexes again; false when one is damaged.
    private func checkIndexes(
        _ table: TableState, _ progress: WorkProgress.Handler, _ faults: inout FaultList
    ) throws -> Bool {
        var areSound = true
        for (index, held) in zip(table.declaredIndexes, table.indexes) {
            let task = "checking the index \(index.name) of \(table.collection.name)"
            progress(WorkProgress(task, done: 0))
            try Task.checkCancellation()
            guard let root = held.root else { continue }
            areSound = try check(root, held.file, &faults) && areSound
        }
        return areSound
    }

    /// Reads the pages of a tree again; false when one is damaged.
    private func check(_ child: Child, _ pages: IndexFile?, _ faults: inout FaultList) throws -> Bool {
        let isBranch = child.level > 0
        if let reference = child.reference, let pages,
            try pages.read(reference, asBranch: isBranch) == nil
        {
            try addFault(reference, pages, &faults)
            return false
        }
        var isSound = true
        for child in try child.pageInMemory(pages)?.children ?? [] where !faults.isFull {
            isSound = try check(child, pages, &faults) && isSound
        }
        return isSound
    }

    private func addFault(_ page: PageReference, _ pages: IndexFile, _ faults: inout FaultList) throws {
        let start = page.number * Page.byteCount
        if try pages.file.byteCount() < start + Page.byteCount {
            faults.add(pages.path, nil, "is shorter than it was when it was opened")
        } else {
            let place = "page \(page.number), byte \(start)"
            faults.add(pages.path, place, "the checksum does not match")
        }
    }

    /// Compares the commit marks of all files, as an opening without index files does.
    private func checkTransactions(_ faults: inout FaultList) throws {
        do {
            let recovery = try Recovery(
                snapshot.tables.map { TableState($0.layout, $0.log, nil) }, to: snapshot.tables.map(\.length),
                from: snapshot.tables.map(\.log.base).max() ?? 0)
            for (table, tail) in zip(snapshot.tables, recovery.tails) {
                let place = "byte \(tail.soundEnd)"
                if tail.soundEnd != table.length {
                    faults.add(
                        table.log.file.path, place,
                        "its commit marks and those of the other files name different transactions")
                } else if tail.lastTransaction != table.lastCommit {
                    faults.add(
                        table.log.file.path, place,
                        "the file ends at transaction \(tail.lastTransaction), not \(table.lastCommit)")
                }
            }
            guard faults.faults.isEmpty, recovery.transaction != snapshot.transaction else { return }
            faults.add(
                folder.path, nil,
                "the files end at transaction \(recovery.transaction), not \(snapshot.transaction)")
        } catch let error as PatchbayError where error.code == .corrupted {
            faults.add(error.file, nil, "its commit marks lack a transaction that was on the disk")
        }
    }
}

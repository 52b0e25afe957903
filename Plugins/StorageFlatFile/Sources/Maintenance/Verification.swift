import PatchbayCore

/// Checks the files of a snapshot, each by itself and against the others, while readers and the writer continue.
struct Verification {
    let snapshot: Snapshot
    let folder: Folder

    func run(_ progress: WorkProgress.Handler) throws -> [StorageFault] {
        var faults = FaultList()
        // Without this folder, no index file is on the disk.
        let files = try folder.kind(FileName.index) == .folder ? folder.folder(FileName.index) : nil
        try checkSmallFiles(files, &faults)
        var marks = MarkTally(snapshot)
        for (position, table) in snapshot.tables.enumerated() where !faults.isFull {
            let areRunsSound = try checkRuns(table, files, progress, &faults)
            var check = LogCheck(table, usingIndexes: areRunsSound)
            try check.run(progress, &faults) { marks.add($0, of: position) }
            guard areRunsSound, !faults.isFull else { continue }
            for index in table.indexes.indices {
                try IndexCheck(table: table, position: index, liveCount: check.liveCount).run(&faults)
            }
        }
        // Damaged lines are reported already, and missing marks would only follow from them.
        if faults.faults.isEmpty { marks.check(folder.path, &faults) }
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
        if let checkpoint = try? Checkpoint.read(in: files) { return checkNames(checkpoint, path, &faults) }
        guard (try? files.kind(FileName.checkpoint)) == .file else { return }
        faults.add(path, "byte 0", "is damaged; the next open rebuilds the indexes")
    }

    private func checkNames(_ checkpoint: Checkpoint, _ path: String, _ faults: inout FaultList) {
        let newest = max(checkpoint.transaction, snapshot.transaction)
        for table in checkpoint.tables where table.lastCommit > newest {
            faults.add(
                path, nil,
                "\(table.collection) is at transaction \(table.lastCommit), the storage at \(newest)")
        }
    }

    private func checkRuns(
        _ table: TableState, _ files: Folder?, _ progress: WorkProgress.Handler, _ faults: inout FaultList
    ) throws -> Bool {
        let before = faults.faults.count
        for (index, state) in zip(table.declaredIndexes, table.indexes) {
            var done = 0
            let total = state.runs.reduce(0) { $0 + $1.pageCount }
            for run in state.runs {
                progress(
                    WorkProgress(
                        "checking the index \(index.name) of \(table.collection.name)", done: done, of: total)
                )
                if let files { try RunCheck.check(run, in: files, &faults) }
                done += run.pageCount
            }
        }
        return faults.faults.count == before
    }
}

/// The faults that a check found, at most ``countMax``.
struct FaultList {
    static let countMax = 100

    private(set) var faults: [StorageFault] = []

    var isFull: Bool { faults.count >= FaultList.countMax }

    mutating func add(_ file: String?, _ place: String?, _ message: String) {
        if !isFull { faults.append(StorageFault(file: file, place: place, message)) }
    }
}

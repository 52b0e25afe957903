import PatchbayCore

/// Checks all files against each other, as of one moment, while readers and the writer go on.
struct Verification {
    let snapshot: Snapshot
    let folder: Folder

    func run(_ progress: WorkProgress.Handler) throws -> [StorageFault] {
        var faults = FaultList()
        // Without one, no index file is on the disk.
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
        // Damaged lines are told; that marks are missing follows from them.
        if faults.faults.isEmpty { marks.check(folder.path, &faults) }
        return faults.faults
    }

    private func checkSmallFiles(_ files: Folder?, _ faults: inout FaultList) throws {
        do {
            _ = try SchemaFile.read(in: folder)
        } catch let error as PatchbayError where error.code == .corrupted {
            faults.add(folder.path(FileName.schema), "byte 0", "was edited or damaged")
        }
        // The writer removes it when an index is found damaged, and an opening without it reads the data.
        guard let files, (try? files.kind(FileName.checkpoint)) == .file else { return }
        // Removed or replaced at this moment: the next opening decides.
        let path = files.path(FileName.checkpoint)
        if let checkpoint = try? Checkpoint.read(in: files) { return checkNames(checkpoint, path, &faults) }
        guard (try? files.kind(FileName.checkpoint)) == .file else { return }
        faults.add(path, "byte 0", "is damaged; the next opening makes the indexes anew")
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
                try RunCheck(run: run, files: files).run(&faults)
                done += run.pageCount
            }
        }
        return faults.faults.count == before
    }
}

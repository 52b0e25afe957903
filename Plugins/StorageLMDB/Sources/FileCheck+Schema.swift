import PatchbayCore

extension FileCheck {
    /// Checks a snapshot's pages and entries, then that every collection has its trees and every index has as many
    /// entries as there are rows.
    static func faults(in transaction: Transaction, _ progress: WorkProgress.Handler) throws -> [StorageFault]
    {
        let snapshot = transaction.snapshot
        let task = "checking the storage \"\(transaction.environment.path)\""
        // A damaged list of free pages counts as empty here; its check reports it.
        let freePageCount = (try? PageCheck(snapshot).checkFreeList()) ?? 0
        let total = max(Int(clamping: snapshot.header.lastPage) - 1 - freePageCount, 0)
        return try withoutActuallyEscaping(
            { (done: Int) in progress(WorkProgress(task, done: min(done, total), of: total)) }
        ) { report in
            let check = FileCheck(snapshot, progress: report)
            check.checkHeader(transaction.environment.map)
            let trees = try check.run()
            if check.faults.isEmpty { try check.checkCounts(trees, transaction) }
            report(total)
            return check.faults
        }
    }

    private func checkHeader(_ map: FileMap) {
        do {
            _ = try Header(descriptor: map.descriptor, file: map.file)
        } catch {
            report(nil, "a header is damaged: \((error as? PatchbayError)?.message ?? "\(error)")")
        }
    }

    private func checkCounts(_ trees: [Snapshot.NamedTree], _ transaction: Transaction) throws {
        let counts = Dictionary(trees.map { ($0.tree.name, $0.root.entryCount) }) { first, _ in first }
        for collection in try StoredSchema.load(transaction).schema.collections {
            let rowCount = counts[collection.name]
            for name in Table.names(of: collection) {
                guard let count = counts[name] else {
                    report(nil, "the sub-database \"\(name)\" is missing")
                    continue
                }
                if let rowCount, count != rowCount {
                    report(
                        nil,
                        "\"\(name)\" has \(count) entries, but \"\(collection.name)\" has \(rowCount) rows")
                }
            }
        }
    }
}

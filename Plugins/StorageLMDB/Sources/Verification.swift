import PatchbayCore

/// Checks a snapshot's pages and entries, then that every collection has its trees and every index has as many entries
/// as there are rows.
struct Verification {
    let transaction: Transaction

    func run(_ progress: WorkProgress.Handler) throws -> [StorageFault] {
        let snapshot = transaction.snapshot
        let task = "checking the storage \"\(transaction.environment.path)\""
        let total = max(Int(clamping: snapshot.lastPage) - 1 - (freePageCount ?? 0), 0)
        return try withoutActuallyEscaping(
            { (done: Int) in progress(WorkProgress(task, done: min(done, total), of: total)) }
        ) { tell in
            let check = FileCheck(snapshot, progress: tell)
            checkHeader(check)
            let trees = try check.run()
            if check.faults.isEmpty { try checkCounts(trees, check) }
            tell(total)
            return check.faults
        }
    }

    /// Nil when the list is damaged, which its check reports.
    private var freePageCount: Int? { try? transaction.snapshot.freePageCount() }

    private func checkHeader(_ check: FileCheck) {
        do {
            let map = transaction.environment.map
            _ = try Header(descriptor: map.descriptor, file: map.file)
        } catch {
            check.report(nil, "a header is damaged: \((error as? PatchbayError)?.message ?? "\(error)")")
        }
    }

    private func checkCounts(_ trees: [Snapshot.NamedTree], _ check: FileCheck) throws {
        let schema = try StoredSchema.load(transaction).schema
        let counts = Dictionary(trees.map { ($0.tree.name, $0.root.entryCount) }) { first, _ in first }
        for collection in schema.collections {
            let rowCount = counts[collection.name]
            if rowCount == nil { check.report(nil, "the collection \"\(collection.name)\" is missing") }
            for index in collection.indexes {
                let name = Table.name(collection, index)
                guard let count = counts[name] else {
                    check.report(nil, "the index \"\(name)\" is missing")
                    continue
                }
                if let rowCount, count != rowCount {
                    check.report(
                        nil,
                        "\"\(name)\" has \(count) entries, but \"\(collection.name)\" has \(rowCount) rows")
                }
            }
        }
    }
}

import PatchbayCore

/// Compares the commit marks of all files in constant memory. A transaction over several collections must have its mark
/// in each of their files, and no transaction number may be missing.
struct MarkTally {
    private let names: [String]
    private let transaction: UInt64
    /// The last transaction that rewritten files have no marks for.
    private let base: UInt64
    /// For each pair of collections, the sum of the hashes of the transactions in which the first one's marks name the
    /// second.
    private var sums: [[Int]]
    private var transactionCount: UInt64 = 0

    init(_ snapshot: Snapshot) {
        names = snapshot.tables.map(\.collection.name)
        transaction = snapshot.transaction
        base = snapshot.tables.map(\.log.base).max() ?? 0
        sums = names.map { _ in snapshot.tables.map { _ in 0 } }
    }

    mutating func add(_ mark: CommitMark, of position: Int) {
        guard mark.transaction > base else { return }
        let own = names[position], members = (mark.others + [own]).sorted()
        if members[0] == own { transactionCount += 1 }
        if mark.others.isEmpty { return }
        var hasher = Hasher()
        hasher.combine(mark.transaction)
        hasher.combine(members)
        let hash = hasher.finalize()
        for other in mark.others {
            guard let at = names.firstIndex(of: other) else { continue }
            sums[position][at] &+= hash
        }
    }

    /// - Parameter path: the storage's folder.
    func check(_ path: String, _ faults: inout FaultList) {
        for first in names.indices {
            for second in names.indices where second < first && sums[first][second] != sums[second][first] {
                faults.add(
                    "\(path)/\(FileName.data(names[first]))", nil,
                    "its commit marks and those of \(names[second]) name different transactions")
            }
        }
        let expected = transaction - min(base, transaction)
        if transactionCount != expected {
            faults.add(
                path, nil,
                "the files contain \(transactionCount) transactions after number \(base), not \(expected)")
        }
    }
}

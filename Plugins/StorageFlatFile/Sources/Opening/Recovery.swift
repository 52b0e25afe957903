import PatchbayCore

/// Determines which transactions are committed, and up to where each file is kept.
///
/// All files are read in parallel, one transaction after another. A transaction is committed when each file that it
/// touched contains its mark and only sound lines before it. The storage ends before the first transaction that is not
/// committed. Later bytes are the tail that a crash left, unless a mark states that they had been synced; then they
/// are damage.
struct Recovery {
    /// The files, each read past the end of its last committed transaction.
    let tails: [LogTail]
    /// The last committed transaction.
    private(set) var transaction: UInt64

    /// - Parameters:
    ///   - tables: the collections, each with the part of its file that is known to be sound.
    ///   - lengths: the offset up to which each file is read.
    ///   - transaction: the last transaction known to be on the disk in all files.
    /// - Throws: `corrupted` when a transaction that was synced is missing or damaged.
    init(_ tables: [TableState], to lengths: [Int], from transaction: UInt64) throws {
        tails = try zip(tables, lengths).map { try LogTail($0, to: $1) }
        self.transaction = transaction
        for tail in tails { try tail.advance(past: transaction) }
        while try takeNext() {}
        try checkRest()
    }

    /// Accepts the next transaction; false when it is not complete.
    private mutating func takeNext() throws -> Bool {
        let next = transaction + 1
        let holders = tails.filter { $0.mark?.transaction == next }
        let held = Set(holders.map(\.log.collectionName))
        let isComplete = !holders.isEmpty && holders.allSatisfy { held.isSuperset(of: $0.mark!.others) }
        guard isComplete else { return false }
        transaction = next
        for tail in holders { try tail.advance(past: next) }
        return true
    }

    /// Refuses to drop a transaction that was synced.
    private func checkRest() throws {
        var synced = transaction
        for tail in tails { synced = max(synced, try tail.syncedInRest()) }
        var faulty = tails.first { tail in tail.firstMissing.map { $0 <= synced } ?? false }
        if faulty == nil, synced > transaction {
            faulty =
                tails.first { $0.damagedOffset != nil }
                ?? tails.min { $0.lastTransaction < $1.lastTransaction }
        }
        if let faulty { throw faulty.log.damaged(at: faulty.damagedOffset ?? faulty.soundEnd) }
    }
}

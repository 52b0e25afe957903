import PatchbayCore

/// Determines which transactions are committed, and up to where each file is kept.
///
/// All files are read in parallel, one transaction after another. A transaction is committed when each file that it
/// touched contains its mark and only sound lines before it. The storage ends before the first transaction that is not
/// committed. Later bytes are the tail that a crash left, unless a mark states that they had been synced; then they
/// are damage.
struct Recovery {
    let tails: [LogTail]
    /// The last committed transaction.
    private(set) var transaction: UInt64

    /// - Parameters:
    ///   - tables: the collections, each with the part of its file that is known to be sound.
    ///   - lengths: the offset up to which each file is read.
    ///   - transaction: the last transaction known to be on the disk in all files.
    init(_ tables: [TableState], to lengths: [Int], from transaction: UInt64) throws {
        tails = try zip(tables, lengths).map { try LogTail($0, to: $1) }
        self.transaction = transaction
    }

    /// Returns the end of each file, in the order of the tables.
    ///
    /// - Throws: `corrupted` when a transaction that was synced is missing or damaged.
    mutating func run() throws -> [Int] {
        for tail in tails { try tail.advance(past: transaction) }
        while try takeNext() {}
        try checkRest()
        return tails.map(\.soundEnd)
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
        for tail in tails {
            guard let missing = tail.firstMissing, missing <= synced else { continue }
            throw tail.log.damaged(at: tail.damagedOffset ?? tail.soundEnd)
        }
        guard synced > transaction else { return }
        let tail =
            tails.first { $0.damagedOffset != nil } ?? tails.min { $0.lastTransaction < $1.lastTransaction }!
        throw tail.log.damaged(at: tail.damagedOffset ?? tail.soundEnd)
    }
}

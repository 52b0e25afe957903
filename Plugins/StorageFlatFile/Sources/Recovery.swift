import PatchbayCore

/// Finds out which transactions count, and up to where each file is to be kept.
///
/// All files are read side by side, one transaction after another. A transaction counts when each file that it touched
/// holds its mark and only sound lines before. The first that does not count ends the storage: what follows is the
/// tail that a crash left, unless a mark says that it had been on the disk. Then it is damage.
struct Recovery {
    private var tails: [LogTail]
    /// The last transaction that counts.
    private(set) var transaction: UInt64

    /// - Parameter tails: one for each collection, at the end of what is known to be sound.
    /// - Parameter transaction: the last transaction known to be on the disk in all files.
    init(_ tails: [LogTail], from transaction: UInt64) {
        self.tails = tails
        self.transaction = transaction
    }

    /// Where each file ends, in the order of the tails.
    ///
    /// - Throws: `corrupted` when something that was on the disk is missing or damaged.
    mutating func run() throws -> [Int] {
        for tail in tails { try tail.advance(past: transaction) }
        while try takeNext() {}
        try checkRest()
        return tails.map(\.soundEnd)
    }

    /// Takes the next transaction; false when it is not complete.
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

    /// Refuses to drop what was on the disk.
    private func checkRest() throws {
        var synced = transaction
        for tail in tails { synced = max(synced, try tail.syncedInRest()) }
        for tail in tails {
            guard let missing = tail.firstMissing, missing <= synced else { continue }
            throw tail.log.damaged(at: tail.damagedOffset ?? tail.soundEnd)
        }
        guard synced > transaction else { return }
        let tail = tails.first { $0.damagedOffset != nil } ?? tails.min { $0.lastTransaction < $1.lastTransaction }!
        throw tail.log.damaged(at: tail.damagedOffset ?? tail.soundEnd)
    }
}

/// The end of a data file, behind what is known to be sound.
final class LogTail {
    let log: Log
    private let scan: LogScan
    /// The end of the last transaction that was taken.
    private(set) var soundEnd: Int
    private(set) var lastTransaction: UInt64
    /// The mark of the next transaction; nil when no sound one follows.
    private(set) var mark: CommitMark?
    /// Where the first line stands that is not sound.
    private(set) var damagedOffset: Int?
    /// The transaction of the last mark before the damage.
    private var lastSound: UInt64 = 0
    /// The first mark behind the damage.
    private var markBehind: CommitMark?

    /// - Parameter lastTransaction: the one whose mark stands before `offset`; 0 when there is none.
    init(_ log: Log, from offset: Int, lastTransaction: UInt64) throws {
        self.log = log
        self.lastTransaction = lastTransaction
        soundEnd = offset
        scan = LogScan(log, from: offset, to: try log.file.byteCount())
        mark = try findMark()
    }

    /// Takes the marks up to a transaction.
    func advance(past transaction: UInt64) throws {
        while let taken = mark, taken.transaction <= transaction {
            soundEnd = scan.place.end
            lastTransaction = taken.transaction
            mark = try findMark()
        }
    }

    private func findMark() throws -> CommitMark? {
        while damagedOffset == nil, let kind = try scan.next() {
            switch kind {
            case .commit(let mark): return mark
            case .damaged: damagedOffset = scan.place.offset
            case .row, .cleared: continue
            }
        }
        return nil
    }

    /// The last transaction that the marks not taken say was on the disk.
    func syncedInRest() throws -> UInt64 {
        var synced = mark?.synced ?? 0
        lastSound = mark?.transaction ?? lastTransaction
        while let kind = try scan.next() {
            switch kind {
            case .commit(let mark):
                synced = max(synced, mark.synced)
                if damagedOffset == nil { lastSound = mark.transaction } else { markBehind = markBehind ?? mark }
            case .damaged: if damagedOffset == nil { damagedOffset = scan.place.offset }
            case .row, .cleared: continue
            }
        }
        return synced
    }

    /// The first transaction that this file must have held and does not, as far as it can be told from the file
    /// after ``syncedInRest()``.
    var firstMissing: UInt64? {
        if log.base > lastTransaction { return log.base }
        guard let markBehind else { return nil }
        return markBehind.previous > lastSound ? markBehind.previous : markBehind.transaction
    }
}

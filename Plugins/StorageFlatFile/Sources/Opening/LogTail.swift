import PatchbayCore

/// The end of a data file, after the part that is known to be sound.
final class LogTail {
    let log: Log
    private let scan: LogScan
    /// The end of the last accepted transaction.
    private(set) var soundEnd: Int
    private(set) var lastTransaction: UInt64
    /// The next mark in the file.
    private var next: CommitMark?
    /// The offset of the first damaged line.
    private(set) var damagedOffset: Int?
    /// The transaction of the last mark before the damage.
    private var lastSound: UInt64 = 0
    /// The first mark after the damage.
    private var laterMark: CommitMark?

    /// - Parameters:
    ///   - sound: the collection with the part of its file that is known to be sound.
    ///   - end: the offset up to which the file is read.
    init(_ sound: TableState, to end: Int) throws {
        log = sound.log
        lastTransaction = sound.lastCommit
        soundEnd = sound.length
        scan = LogScan(log, from: soundEnd, to: end)
        try findNext()
    }

    /// The mark of the next transaction; nil when no sound mark follows.
    var mark: CommitMark? { damagedOffset == nil ? next : nil }

    /// Accepts the marks up to a transaction.
    func advance(past transaction: UInt64) throws {
        while let taken = mark, taken.transaction <= transaction {
            soundEnd = scan.place.end
            lastTransaction = taken.transaction
            try findNext()
        }
    }

    private func findNext() throws {
        next = nil
        while next == nil, let kind = try scan.next() {
            switch kind {
            case .commit(let mark): next = mark
            case .damaged: damagedOffset = damagedOffset ?? scan.place.offset
            case .row, .cleared: continue
            }
        }
    }

    /// Reads the rest of the file and returns the last transaction that was on the disk according to its marks.
    func syncedInRest() throws -> UInt64 {
        var synced: UInt64 = 0
        lastSound = lastTransaction
        while let mark = next {
            synced = max(synced, mark.synced)
            if damagedOffset == nil {
                lastSound = mark.transaction
            } else {
                laterMark = laterMark ?? mark
            }
            try findNext()
        }
        return synced
    }

    /// The first transaction that this file must have contained and does not, as far as the file shows after
    /// ``syncedInRest()``.
    var firstMissing: UInt64? {
        if log.base > lastTransaction { return log.base }
        guard let laterMark else { return nil }
        return laterMark.previous > lastSound ? laterMark.previous : laterMark.transaction
    }
}

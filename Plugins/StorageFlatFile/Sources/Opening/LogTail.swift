import PatchbayCore

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

    /// - Parameters:
    ///   - end: up to where the file is read.
    ///   - lastTransaction: the one whose mark stands before `offset`; 0 when there is none.
    init(_ log: Log, from offset: Int, to end: Int, lastTransaction: UInt64) throws {
        self.log = log
        self.lastTransaction = lastTransaction
        soundEnd = offset
        scan = LogScan(log, from: offset, to: end)
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
                if damagedOffset == nil {
                    lastSound = mark.transaction
                } else {
                    markBehind = markBehind ?? mark
                }
            case .damaged: if damagedOffset == nil { damagedOffset = scan.place.offset }
            case .row, .cleared: continue
            }
        }
        return synced
    }

    /// The first transaction that this file must have held and does not, as far as it can be told from the
    /// file after ``syncedInRest()``.
    var firstMissing: UInt64? {
        if log.base > lastTransaction { return log.base }
        guard let markBehind else { return nil }
        return markBehind.previous > lastSound ? markBehind.previous : markBehind.transaction
    }
}

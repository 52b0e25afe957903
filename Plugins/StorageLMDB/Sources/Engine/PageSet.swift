/// A set of page numbers below a limit, one bit each.
struct PageSet {
    private var words: [UInt64]

    init(below count: UInt64) {
        words = Array(repeating: 0, count: Int(clamping: count / 64 + 1))
    }

    /// Returns whether the page was not in the set before. The page must be below the limit.
    @inline(__always)
    mutating func insert(_ page: UInt64) -> Bool {
        let bit: UInt64 = 1 << (page % 64), word = Int(truncatingIfNeeded: page / 64)
        guard words[word] & bit == 0 else { return false }
        words[word] |= bit
        return true
    }

    /// The page must be below the limit.
    @inline(__always)
    func contains(_ page: UInt64) -> Bool {
        words[Int(truncatingIfNeeded: page / 64)] & (1 << (page % 64)) != 0
    }
}

/// A Bloom filter in blocks of 32 bytes. It shows for most absent keys that a run does not contain them, without
/// reading the run.
///
/// It is built while the run is written and stays in memory as long as the run is open. A run that was written before
/// the storage was opened has no filter, so any key may be in it.
struct KeyFilter: Sendable {
    /// A run with more entries gets no filter, so that memory does not grow with the rows: 2.6 MB at most.
    static let entriesMax = 1 << 21
    /// Ten bits an entry, so about one absent key in eighty is searched for in vain.
    private static let entriesPerBlock = 25

    private var words: [UInt64]
    private let blockCount: UInt64

    /// - Parameter entryCount: the number of entries, or an upper bound. The result is nil when there are too many for
    ///   a filter.
    init?(entryCount: Int) {
        guard entryCount <= KeyFilter.entriesMax else { return nil }
        let blockCount = entryCount / KeyFilter.entriesPerBlock + 1
        self.blockCount = UInt64(blockCount)
        words = Array(repeating: 0, count: 4 * blockCount)
    }

    /// - Parameter hash: of the key (``keyHash(_:)``).
    @inline(__always)
    mutating func insert(_ hash: UInt64) {
        let start = start(hash)
        for word in 0..<4 { words[start + word] |= KeyFilter.bit(word, hash) }
    }

    /// Whether a key with this hash may have been inserted.
    func mayHold(_ hash: UInt64) -> Bool {
        let start = start(hash)
        for word in 0..<4 where words[start + word] & KeyFilter.bit(word, hash) == 0 { return false }
        return true
    }

    @inline(__always)
    private func start(_ hash: UInt64) -> Int { 4 * Int(((hash >> 32) &* blockCount) >> 32) }

    @inline(__always)
    private static func bit(_ word: Int, _ hash: UInt64) -> UInt64 {
        1 << (hash >> UInt64(truncatingIfNeeded: 6 &* word) & 63)
    }
}

/// A hash of all bytes of a key, for ``KeyFilter``. It is never stored; each process has other hashes.
func keyHash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: key)
    return UInt64(bitPattern: Int64(hasher.finalize()))
}

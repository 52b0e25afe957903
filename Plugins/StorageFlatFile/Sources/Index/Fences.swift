// Unsafe: keys by address. It holds because the addresses point into this value's own arrays, whose bounds
// were checked when they were read.

/// The first key of each page of a run, in memory, to find the page of a key without touching the pages.
struct Fences: Sendable {
    private var keys: [UInt8] = []
    private var ends: [Int] = []
    /// The length of the prefix that all keys share; the word after it distinguishes most keys.
    private var sharedCount = 0
    private var words: [UInt64] = []

    var count: Int { ends.count }

    /// Writes the footer of a run file: the keys one after another, each preceded by its length (2 bytes).
    func write(to buffer: ByteBuffer) {
        for index in 0..<count {
            let key = keys[range(index)]
            buffer.append(UInt8(key.count & 0xFF))
            buffer.append(UInt8(key.count >> 8))
            buffer.append(Array(key))
        }
    }

    init() {}

    /// Reads the output of ``write(to:)``; nil when the bytes are anything else.
    init?(_ bytes: UnsafeRawBufferPointer, count: Int) {
        var at = 0
        while at + 2 <= bytes.count {
            let length = Int(bytes[at]) | Int(bytes[at + 1]) << 8
            guard at + 2 + length <= bytes.count else { return nil }
            append(UnsafeRawBufferPointer(rebasing: bytes[(at + 2)..<(at + 2 + length)]))
            at += 2 + length
        }
        guard at == bytes.count, ends.count == count else { return nil }
        prepare()
    }

    mutating func append(_ key: UnsafeRawBufferPointer) {
        keys.append(contentsOf: key)
        ends.append(keys.count)
    }

    /// Computes the words that searches compare first.
    mutating func prepare() {
        guard count > 0 else { return }
        let first = keys[range(0)], last = keys[range(count - 1)]
        sharedCount = zip(first, last).prefix { $0 == $1 }.count
        words = (0..<count).map { index in keys[range(index)].withUnsafeBytes { word($0) } }
    }

    /// The page where a key is or would be, which is the last one that starts at or before it, and the estimated share
    /// of the page before the key (``share(of:from:to:)``).
    func page(of key: UnsafeRawBufferPointer) -> (index: Int, part: Double) {
        keys.withUnsafeBytes { keys in
            let shared = UnsafeRawBufferPointer(rebasing: keys[..<sharedCount])
            let start = UnsafeRawBufferPointer(rebasing: key[..<min(sharedCount, key.count)])
            let order = compareKeys(start, shared)
            guard order == 0 else { return order < 0 ? (0, 0) : (count - 1, 1) }
            return page(of: key, word(key), keys)
        }
    }

    private func page(of key: UnsafeRawBufferPointer, _ keyWord: UInt64, _ keys: UnsafeRawBufferPointer)
        -> (index: Int, part: Double)
    {
        words.withUnsafeBufferPointer { words in
            var low = 0, high = words.count
            while low < high {
                let middle = (low + high) / 2
                let word = words[middle]
                let isBefore =
                    word == keyWord
                    ? compareKeys(UnsafeRawBufferPointer(rebasing: keys[range(middle)]), key) <= 0
                    : word < keyWord
                if isBefore { low = middle + 1 } else { high = middle }
            }
            if low == 0 { return (0, 0) }
            return (
                low - 1, low < words.count ? share(of: keyWord, from: words[low - 1], to: words[low]) : 0.5
            )
        }
    }

    /// The first key of a page.
    func key(_ index: Int) -> ArraySlice<UInt8> { keys[range(index)] }

    private func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// The eight bytes after the shared prefix as a number that compares like them; zeros where the key is shorter.
    private func word(_ key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= sharedCount + 8 {
            return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: sharedCount, as: UInt64.self))
        }
        var word: UInt64 = 0
        for at in sharedCount..<(sharedCount + 8) {
            word = word << 8 | (at < key.count ? UInt64(key[at]) : 0)
        }
        return word
    }
}

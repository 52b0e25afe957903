/// Searches for a byte string (Horspool, 1980), skipping most of the bytes.
struct ByteSearch: Sendable {
    private let needle: [UInt8]
    /// The distance to move, by the byte under the end of the needle.
    private let skips: [Int]

    /// - Parameter needle: not empty.
    init(for needle: [UInt8]) {
        precondition(!needle.isEmpty, "the needle must not be empty")
        self.needle = needle
        var skips = Array(repeating: needle.count, count: 256)
        for (place, byte) in needle.dropLast().enumerated() { skips[Int(byte)] = needle.count - 1 - place }
        self.skips = skips
    }

    /// Returns the first occurrence at or after `start`; nil when there is none.
    func first(in bytes: [UInt8], from start: Int) -> Int? {
        var at = start
        while at + needle.count <= bytes.count {
            var left = needle.count - 1
            while bytes[at + left] == needle[left] {
                if left == 0 { return at }
                left -= 1
            }
            at += skips[Int(bytes[at + needle.count - 1])]
        }
        return nil
    }
}

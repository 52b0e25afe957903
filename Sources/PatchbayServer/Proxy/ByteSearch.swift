/// Finds some bytes in many (Horspool, 1980): most of the bytes are not looked at.
struct ByteSearch: Sendable {
    private let needle: [UInt8]
    /// How far to move when a byte stands under the end of the needle.
    private let skips: [Int]

    /// - Parameter needle: not empty.
    init(for needle: [UInt8]) {
        precondition(!needle.isEmpty, "there is something to look for")
        self.needle = needle
        var skips = Array(repeating: needle.count, count: 256)
        for (place, byte) in needle.dropLast().enumerated() { skips[Int(byte)] = needle.count - 1 - place }
        self.skips = skips
    }

    /// The first place from `start` on; nil when there is none.
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

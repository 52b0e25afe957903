import PatchbayTestKit

/// A random change to the bytes of a file.
enum Damage {
    /// The number of rounds of a fuzz test that usually has a few. `PATCHBAY_FUZZ_ROUNDS` states it for the tests of
    /// decoders, which have 5,000, and in proportion for the others, whose rounds take longer.
    static func rounds(_ few: Int) -> Int {
        let given = Files.output(of: "printf %s \"$PATCHBAY_FUZZ_ROUNDS\"").flatMap { Int($0) }
        return given.map { max($0 * few / 5_000, 1) } ?? few
    }

    static func apply(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0...255, using: &generator)) }
        let at = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 3: bytes.removeLast(bytes.count - at)
        case 4:
            // A page or sector that the disk lost.
            let count = generator.next() % 2 == 0 ? 512 : 4096
            let start = at / count * count
            for position in start..<min(start + count, bytes.count) { bytes[position] = 0 }
        case 5: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
        case 6:
            let end = Int.random(in: at..<bytes.count, using: &generator)
            bytes.removeSubrange(at..<min(end, at + 300))
        default:
            // Bytes that were written to the wrong place.
            let source = Int.random(in: bytes.indices, using: &generator)
            let count = min(200, bytes.count - max(at, source))
            bytes.replaceSubrange(at..<(at + count), with: Array(bytes[source..<(source + count)]))
        }
    }
}

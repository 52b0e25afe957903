import CChecksum
import PatchbayTestKit
import Testing

@Suite("CRC-32C") struct ChecksumTests {
    /// RFC 3720, appendix B.4, and the algorithm's check value.
    static let vectors: [(bytes: [UInt8], crc: UInt32)] = [
        (Array(repeating: 0, count: 32), 0x8A91_36AA),
        (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
        (Array(0..<32), 0x46DD_794E),
        (Array((0..<32).reversed()), 0x113F_DB5C),
        (
            [0x01, 0xC0] + zeros(14) + [0x14] + zeros(5) + [0x04] + zeros(4) + [0x14] + zeros(3)
                + [0x18, 0x28] + zeros(7) + [0x02] + zeros(7), 0xD996_3A56
        ),
        (Array("123456789".utf8), 0xE306_9283),
        ([], 0),
    ]

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    @Test("the vectors of RFC 3720", arguments: vectors)
    func knownVectors(bytes: [UInt8], crc: UInt32) {
        unsafe #expect(patchbay_crc32c(0, bytes, bytes.count) == crc)
        unsafe #expect(patchbay_crc32c_portable(0, bytes, bytes.count) == crc)
    }

    @Test("the processor's instruction and the table agree on every length, in one piece and in several")
    func hardwareEqualsPortable() {
        var generator = SeededGenerator.fromEnvironment()
        let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for count in 0...300 {
            let crc = unsafe patchbay_crc32c(0, bytes, count)
            #expect(
                unsafe crc == patchbay_crc32c_portable(0, bytes, count),
                "\(count) bytes, seed \(generator.seed)")
            let half = count / 3
            let first = unsafe patchbay_crc32c(0, bytes, half)
            let rest = Array(bytes[half..<count])
            unsafe #expect(patchbay_crc32c(first, rest, rest.count) == crc, "\(half) and \(rest.count) bytes")
        }
    }
}

import CChecksum
import CLMDB
import PatchbayCore

/// A sub-database: a sorted tree of keys and sealed values.
///
/// Every value ends with a checksum, so that damage is detected when the value is read:
///
///     | payload ... | CRC-32C of the tree's name, the key and the payload, 4 bytes, little-endian |
///
/// The checksum begins with the name, so a page misplaced in another tree, or a value of zeros, does not pass.
struct Tree: Sendable {
    static let sealBytes = 4

    let name: String
    let handle: MDB_dbi
    /// Whether keys are native 64-bit integers: unsigned, with the sign bit flipped.
    let hasIntegerKeys: Bool
    private let seed: UInt32

    init(_ name: String, _ handle: MDB_dbi, hasIntegerKeys: Bool = false) {
        self.name = name
        self.handle = handle
        self.hasIntegerKeys = hasIntegerKeys
        var salted = "patchbay.lmdb/" + name
        self.seed = salted.withUTF8 { unsafe patchbay_crc32c(0, $0.baseAddress, $0.count) }
    }

    @inline(__always)
    func checksum(_ key: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> UInt32 {
        let crc = unsafe patchbay_crc32c(seed, key.baseAddress, key.count)
        return unsafe patchbay_crc32c(crc, payload.baseAddress, payload.count)
    }

    /// Returns what is wrong with an entry's value or its seal, or nil.
    @inline(__always)
    func fault(of entry: Snapshot.Entry) -> String? {
        let (key, value) = unsafe entry, count = value.count - Tree.sealBytes
        guard (0...Limits.rowBytes).contains(count) else { return "its size is \(value.count)" }
        let seal = unsafe UInt32(littleEndian: value.number(UInt32.self, at: count))
        return unsafe checksum(key, value.part(0..<count)) == seal ? nil : "its checksum is wrong"
    }

    /// Whether one key comes before another in this tree. Both have 8 bytes when keys are integers.
    @inline(__always)
    func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        if hasIntegerKeys {
            return unsafe left.number(UInt64.self, at: 0) < right.number(UInt64.self, at: 0)
        }
        return unsafe left.precedes(right)
    }

    /// Whether this is LMDB's tree of the other trees' roots.
    var isNames: Bool { handle == 1 }

    /// A key that is not after any other, and one that is not before any other.
    var lowestKey: [UInt8] { hasIntegerKeys ? Array(repeating: 0, count: 8) : [0] }
    var highestKey: [UInt8] { Array(repeating: 0xFF, count: hasIntegerKeys ? 8 : Limits.keyBytes) }

    /// Converts a range of encoded keys (see `KeyEncoding`) to keys of this tree.
    func stored(_ range: KeyRange) -> KeyRange {
        guard hasIntegerKeys else { return range }
        let lower = range.lower.isEmpty ? [] : Tree.integerKey(range.lower)
        return KeyRange(lower: lower, upper: range.upper.map(Tree.integerKey))
    }

    /// Converts an encoded integer to a native key; zeros replace bytes that a truncated one lacks.
    private static func integerKey(_ encoded: [UInt8]) -> [UInt8] {
        Array((encoded + Array(repeating: 0, count: max(0, 8 - encoded.count))).prefix(8).reversed())
    }

    /// A readable form of a key: the number, or the bytes with unprintable ones as `\xx`.
    func describe(_ key: UnsafeRawBufferPointer) -> String {
        if hasIntegerKeys, key.count == 8 {
            return unsafe String(Int64(bitPattern: key.number(UInt64.self, at: 0) ^ 1 << 63))
        }
        return unsafe key.prefix(Limits.keyBytes).map { byte in
            if (0x20...0x7E).contains(byte) { return String(UnicodeScalar(byte)) }
            return "\\" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

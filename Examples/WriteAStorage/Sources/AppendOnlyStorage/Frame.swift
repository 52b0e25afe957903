import Patchbay

/// The changes of one transaction as they stand in the file.
///
///     | length of the changes | FNV-1a of them | changes ...
///     | 4 bytes               | 8 bytes        |
///
/// A change is a byte for its kind, the length of the collection's name in a byte, the name, the length of what
/// follows in 4 bytes, and that: a row, or the schema. All numbers are little-endian.
struct Frame {
    /// What a change does.
    enum Kind: UInt8 { case schema, put, delete, deleteAll }

    static let headBytes = 12

    private var changes: [UInt8] = []

    init() {}

    /// The frame of a schema: the version in the first line, then a collection's definition in each.
    init(_ schema: Schema) {
        let lines = ["\(schema.version)"] + schema.collections.map(\.definition)
        note(.schema, "", Array(lines.joined(separator: "\n").utf8))
    }

    var isEmpty: Bool { changes.isEmpty }

    /// A deletion holds the row that was there, for its key.
    mutating func note(_ kind: Kind, _ collection: String, _ bytes: [UInt8] = []) {
        changes.append(kind.rawValue)
        changes.append(UInt8(collection.utf8.count))
        changes += collection.utf8
        changes.append(number: UInt32(bytes.count))
        changes += bytes
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(changes.count + Frame.headBytes)
        bytes.append(number: UInt32(changes.count))
        bytes.append(number: Frame.checksum(changes[...]))
        return bytes + changes
    }

    /// FNV-1a with 64 bits: finds what a disk or a cut does, not what somebody does on purpose.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }
}

extension ArraySlice<UInt8> {
    /// Takes a number off the front; nil when the bytes are too few.
    mutating func takeNumber<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        guard let bytes = take(Number.bitWidth / 8) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Takes so many bytes off the front; nil when there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= self.count else { return nil }
        defer { removeFirst(count) }
        return prefix(count)
    }
}

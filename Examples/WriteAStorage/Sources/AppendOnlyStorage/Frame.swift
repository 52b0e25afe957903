import Patchbay

/// The changes of one transaction, as encoded in the file.
///
///     | length of the changes | FNV-1a of them | changes ...
///     | 4 bytes               | 8 bytes        |
///
/// A change consists of one byte for its kind, one byte for the length of the collection's name, the name, 4 bytes
/// for the length of the content, and the content: a row or the schema. All numbers are little-endian.
struct Frame {
    /// The kinds of changes.
    enum Kind: UInt8 { case schema, put, delete, deleteAll }

    static let headBytes = 12

    private var changes: [UInt8] = []

    init() {}

    /// Creates the frame of a schema: the version in the first line, then one collection's definition per line.
    init(_ schema: Schema) {
        let lines = ["\(schema.version)"] + schema.collections.map(\.definition)
        note(.schema, "", Array(lines.joined(separator: "\n").utf8))
    }

    var isEmpty: Bool { changes.isEmpty }

    /// Adds a change. A deletion contains the deleted row, from which its key is read.
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

    /// FNV-1a with 64 bits. It detects accidental damage, not deliberate changes.
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
    /// Removes a number from the front, or returns nil when there are too few bytes.
    mutating func takeNumber<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        guard let bytes = take(Number.bitWidth / 8) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Removes the given number of bytes from the front, or returns nil when there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= self.count else { return nil }
        defer { removeFirst(count) }
        return prefix(count)
    }
}

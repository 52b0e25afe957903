// Unsafe: a line is read and slots are written by address. It holds because a length comes with every line, and room
// for all slots is reserved first.

import PatchbayCore
import PatchbayJSON

/// Reads a sound line (``Line/isSound(_:_:at:generation:)``) into a packed row.
///
/// Accepts only the members that ``LineWriter`` writes, in the order of the fields.
struct LineParser {
    enum Outcome: Equatable { case row, deletion, malformed }

    private let row: ByteBuffer
    private var letters: [UInt8] = []

    /// - Parameter row: takes the row of each line.
    init(into row: ByteBuffer) { self.row = row }

    /// Reads a line. The buffer then contains the row with the requested fields, the others null.
    mutating func parse(
        _ line: UnsafeRawPointer, _ count: Int, _ layout: LineLayout, _ fields: FieldSet
    ) -> Outcome {
        let line = unsafe UnsafeRawBufferPointer(start: line, count: count)
        var reader = unsafe JSONReader(line.bytes)
        // A line that cannot be parsed is malformed; the caller reports the place.
        return (try? read(&reader, layout, fields)) ?? .malformed
    }

    /// Reads one line into `buffer`.
    static func parse(
        _ line: UnsafeRawPointer, _ count: Int, _ layout: LineLayout, _ fields: FieldSet,
        into buffer: ByteBuffer
    ) -> Outcome {
        var parser = LineParser(into: buffer)
        return unsafe parser.parse(line, count, layout, fields)
    }

    private mutating func read(_ reader: inout JSONReader, _ layout: LineLayout, _ fields: FieldSet) throws
        -> Outcome
    {
        let count = layout.types.count, slots = 8 + count * 8, keys = layout.keys
        var nulls = UInt64.max >> UInt64(64 - count)
        row.count = 0
        row.reserve(slots)
        unsafe row.base.initializeMemory(as: UInt8.self, repeating: 0, count: slots)
        row.count = slots
        try reader.beginObject()
        for position in 0..<count where fields.rawValue >> UInt64(position) != 0 {
            guard reader.takeKey(keys[position]) else { continue }
            guard fields.contains(position: position) else {
                try reader.skipValue()
                continue
            }
            let slot = try readValue(&reader, layout.types[position])
            unsafe row.base.storeBytes(
                of: slot.littleEndian, toByteOffset: 8 + position * 8, as: UInt64.self)
            nulls &= ~(1 << UInt64(position))
        }
        let header = UInt64(count) | FieldSet(rawValue: nulls).nullBits
        unsafe row.base.storeBytes(of: header.littleEndian, as: UInt64.self)
        guard fields == .all else { return .row }
        let isDeletion = reader.takeKey(keys[count]) ? try reader.readBool() : false
        guard reader.takeKey(keys[count + 1]) else { return .malformed }
        let required = isDeletion ? layout.keyFields : layout.collection.requiredFields
        return required.rawValue & nulls != 0 ? .malformed : isDeletion ? .deletion : .row
    }

    /// Reads a value and returns its slot.
    @inline(__always)
    private mutating func readValue(_ reader: inout JSONReader, _ type: FieldType) throws -> UInt64 {
        switch type {
        case .integer:
            if try reader.peek() == .number { return UInt64(bitPattern: try reader.readInteger()) }
            guard let value = Int64(try reader.readString()) else { throw reader.expected("an integer") }
            return UInt64(bitPattern: value)
        case .real:
            if try reader.peek() == .number { return try reader.readDouble().bitPattern }
            switch try reader.readString() {
            case "Infinity": return Double.infinity.bitPattern
            case "-Infinity": return (-Double.infinity).bitPattern
            default: throw reader.expected("a number")
            }
        case .text:
            let text = try reader.readText()
            return text.hasEscapes ? append(escaped: text) : append(text.bytes)
        case .bytes:
            guard let bytes = Base64.decode(try reader.readText().bytes) else {
                throw reader.expected("base64")
            }
            return append(bytes.span.bytes)
        }
    }

    private mutating func append(escaped text: borrowing JSONText) -> UInt64 {
        letters.removeAll(keepingCapacity: true)
        text.append(to: &letters)
        return append(letters.span.bytes)
    }

    /// Appends the bytes of a text to the row and returns its slot.
    private func append(_ text: RawSpan) -> UInt64 {
        defer { row.append(text) }
        return UInt64(text.byteCount) << 32 | UInt64(truncatingIfNeeded: row.count)
    }
}

extension JSONReader {
    fileprivate func expected(_ value: String) -> JSONError {
        JSONError(message: "expected \(value)", offset: offset)
    }
}

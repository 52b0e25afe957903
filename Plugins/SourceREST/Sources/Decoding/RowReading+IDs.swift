import PatchbayCore
import PatchbayJSON

/// Ids, which an API may send as numbers or as texts whatever the definition declares, and other numbers in texts.
extension RowReading {
    /// Whether a field identifies the row, and its value is a number.
    func isNumericID(_ number: Int, _ reader: inout JSONReader) throws -> Bool {
        guard shape.ids & (1 << UInt64(number)) != 0 else { return false }
        return try reader.peek() == .number
    }

    /// Reads a number as a text: all its digits, as written.
    mutating func readDigits(_ number: Int, _ position: Int, _ reader: inout JSONReader) throws {
        let start = reader.offset
        try reader.skipValue()
        scratch = Array(body[base + start..<base + reader.offset])
        RowReading.clean(&scratch, bytesMax: shape.targets[number].bytesMax)
        setScratch(number, position)
    }

    /// Reads a text that is a whole number. Any other spelling of the number, such as `007`, would be another id.
    static func integer(ofText reader: inout JSONReader) throws -> Int64 {
        let start = reader.offset
        guard let value = Int64(id: try reader.readString()) else {
            throw JSONError(message: "expected a whole number, found a string", offset: start)
        }
        return value
    }

    /// Reads a text that is a JSON number, such as a price.
    static func real(ofText reader: inout JSONReader) throws -> Double {
        let start = reader.offset
        let text = Array(try reader.readString().utf8)
        var inner = JSONReader(text.span.bytes)
        do {
            let value = try inner.readDouble()
            try inner.finish()
            return value
        } catch {
            throw JSONError(message: "expected a number, found a string", offset: start)
        }
    }
}

extension Int64 {
    /// Reads a text that is exactly the decimal spelling of the number.
    init?(id text: String) {
        guard let value = Int64(text), String(value) == text else { return nil }
        self = value
    }
}

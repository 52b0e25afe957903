import PatchbayCore
import PatchbayJSON

/// Ids, which an API may send as numbers or as texts whatever the definition declares, and other numbers in texts.
extension RowReading {
    /// Whether a field identifies the row, and its value is a number.
    func isNumericID(_ number: Int, _ reader: inout JSONReader) throws -> Bool {
        guard shape.ids & (1 << UInt64(number)) != 0 else { return false }
        return try reader.peek() == .number
    }

    /// Reads a number as a text. A whole number of 64 bits has one spelling, because `47` and `47.0` are the same id;
    /// any other number keeps all its digits, as written.
    mutating func readDigits(_ number: Int, _ position: Int, _ reader: inout JSONReader) throws {
        let start = reader.offset
        if let whole = try? reader.readInteger() {
            scratch = Array(String(whole).utf8)
        } else {
            try reader.skipValue()
            scratch = Array(body[base + start..<base + reader.offset])
        }
        RowReading.clean(&scratch, bytesMax: shape.targets[number].bytesMax)
        setScratch(number, position)
    }

    /// Reads a text that is a whole number in JSON, such as `47` or `47.0`. An id must be spelled like the first,
    /// because a source may use `47.0` or `007` for another row.
    static func integer(ofText reader: inout JSONReader, isID: Bool) throws -> Int64 {
        let start = reader.offset
        let text = try reader.readString()
        if let value = isID ? Int64(id: text) : Int64(json: text) { return value }
        throw JSONError(message: "expected a whole number, found a string", offset: start)
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
    /// Reads a text that is a whole number in JSON, in any spelling.
    init?(json text: String) {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        // Any fault means that the text is not such a number.
        guard let value = try? reader.readInteger(), reader.offset == bytes.count else { return nil }
        self = value
    }

    /// Reads a text that is exactly the decimal spelling of the number.
    init?(id text: String) {
        guard let value = Int64(text), String(value) == text else { return nil }
        self = value
    }
}

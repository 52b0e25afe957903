import PatchbayJSON

/// A `{"name": ..., "value": ...}` of HAR: a header or a parameter.
struct NameAndValue {
    var name = ""
    var value = ""

    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "name" {
                name = try reader.readString()
            } else if key == "value" {
                value = try reader.readLenientText()
            } else {
                try reader.skipValue()
            }
        }
    }
}

extension JSONReader {
    /// Reads a text, or a whole number as a text. Some tools write null where a text is missing; null and other values
    /// are read as an empty text.
    mutating func readLenientText() throws(JSONError) -> String {
        switch try peek() {
        case .string: return try readString()
        case .number: return try String(readInteger())
        default:
            try skipValue()
            return ""
        }
    }
}

/// Reads the parts of a header field's value: white space, texts, quoted strings and the elements of lists (RFC 9110,
/// section 5.6).
package struct FieldValueReader {
    private let bytes: [UInt8]
    private var place = 0

    package init(_ value: String) { bytes = Array(value.utf8) }

    /// The next byte; nil at the end.
    package var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// Consumes a character, if it comes next.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// Consumes spaces and tabs.
    package mutating func skipSpace() { while byte == 0x20 || byte == 0x09 { place += 1 } }

    /// Reads the next bytes that are part of a text.
    package mutating func text(while isPart: (UInt8) -> Bool) -> String {
        let part = bytes[place...].prefix(while: isPart)
        place = part.endIndex
        return String(decoding: part, as: UTF8.self)
    }

    /// Reads a string in quotation marks, of which the next byte is the first. A character after a backslash is taken
    /// literally. A string without an end extends to the end of the value.
    package mutating func quoted() -> (text: String, isClosed: Bool) {
        let mark = byte
        place = min(place + 1, bytes.count)
        var text: [UInt8] = []
        while let byte, byte != mark {
            place += byte == UInt8(ascii: "\\") && place + 1 < bytes.count ? 1 : 0
            text.append(bytes[place])
            place += 1
        }
        let isClosed = byte != nil
        place = min(place + 1, bytes.count)
        return (String(decoding: text, as: UTF8.self), isClosed)
    }

    /// Moves to the start of the next element of a list; false at the end.
    package mutating func skipToElement() -> Bool {
        while let byte, byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x09 { place += 1 }
        return byte != nil
    }

    /// Moves to the end of an element. A comma in quotes is part of it.
    package mutating func skipElement() {
        while !isAtElementEnd {
            if byte == UInt8(ascii: "\"") { _ = quoted() } else { place += 1 }
        }
    }

    /// Whether a comma or the end comes next.
    package var isAtElementEnd: Bool { byte == nil || byte == UInt8(ascii: ",") }
}

import HTTPTypes
import PatchbayCore

/// A media type with its parameters (RFC 9110, section 8.3.1), or a media range. Every part of the server reads types
/// with this parser, so that no two of them understand a field differently.
struct ContentType {
    /// Type and subtype in lower case: `application/json`; `text/*` for a range.
    let name: String
    /// The names of parameters are in lower case.
    private(set) var parameters: [(name: String, value: String)] = []

    /// Nil for text that is not exactly one media type: `application/json;,text/html`.
    init?(_ text: String) {
        var reader = ContentTypeReader(text)
        guard let type = reader.type(), reader.isAtEnd else { return nil }
        self = type
    }

    /// Nil without the field, and for several ones.
    init?(_ fields: HTTPFields) {
        let lines = fields[values: .contentType]
        guard lines.count == 1 else { return nil }
        self.init(lines[0])
    }

    fileprivate init(name: String) { self.name = name }

    /// Returns the types of a list, such as `Accept`, without the elements that are none.
    static func list(_ text: String) -> [ContentType] {
        var reader = ContentTypeReader(text), types: [ContentType] = []
        while !reader.isAtEnd {
            if let type = reader.type(), reader.isAtEnd || reader.isAtComma { types.append(type) }
            reader.skipElement()
        }
        return types
    }

    fileprivate mutating func add(_ name: String, _ value: String) { parameters.append((name, value)) }
}

extension HTTPFields {
    /// The media type in lower case, without parameters; empty when there is not exactly one.
    var mediaType: String { ContentType(self)?.name ?? "" }

    var isJSON: Bool {
        let type = mediaType
        return type == "application/json" || type.hasSuffix("+json")
    }
}

private struct ContentTypeReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

    var isAtEnd: Bool { place == bytes.count }

    var isAtComma: Bool { byte == UInt8(ascii: ",") }

    /// Reads a type up to its end; nil when there is none.
    mutating func type() -> ContentType? {
        skipSpace()
        guard let type = token(), take("/"), let subtype = token() else { return nil }
        var found = ContentType(name: type + "/" + subtype)
        skipSpace()
        while take(";") {
            skipSpace()
            // A parameter may be missing after a semicolon.
            guard let name = token() else { continue }
            guard take("="), let value = byte == UInt8(ascii: "\"") ? quoted() : token(isLowercased: false)
            else {
                return nil
            }
            found.add(name, value)
            skipSpace()
        }
        return found
    }

    /// Skips the rest of an element and the comma after it.
    mutating func skipElement() {
        while let byte, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { if quoted() == nil { return } } else { place += 1 }
        }
        if !isAtEnd { place += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() { while byte == 0x20 || byte == 0x09 { place += 1 } }

    private mutating func token(isLowercased: Bool = true) -> String? {
        let start = place
        while let byte, Self.isToken(byte) { place += 1 }
        guard place > start else { return nil }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        return isLowercased ? text.lowercased() : text
    }

    /// Reads a quoted string; nil when it has no end, which is then where the reader is.
    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        place += 1
        while let byte {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = self.byte else { return nil }
                text.append(escaped)
                place += 1
            default: text.append(byte)
            }
        }
        return nil
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

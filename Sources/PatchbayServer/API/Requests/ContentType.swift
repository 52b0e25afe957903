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
        var reader = FieldValueReader(text)
        guard let type = reader.contentType(), reader.byte == nil else { return nil }
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
        var reader = FieldValueReader(text), types: [ContentType] = []
        while reader.skipToElement() {
            if let type = reader.contentType(), reader.isAtElementEnd { types.append(type) }
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

extension FieldValueReader {
    /// Reads a type up to its end; nil when there is none.
    fileprivate mutating func contentType() -> ContentType? {
        skipSpace()
        guard let type = token(), take("/"), let subtype = token() else { return nil }
        var found = ContentType(name: type.lowercased() + "/" + subtype.lowercased())
        skipSpace()
        while take(";") {
            skipSpace()
            // A parameter may be missing after a semicolon.
            guard let name = token() else { continue }
            guard take("="), let value = byte == UInt8(ascii: "\"") ? closedQuoted() : token() else {
                return nil
            }
            found.add(name.lowercased(), value)
            skipSpace()
        }
        return found
    }

    private mutating func token() -> String? {
        let token = text { $0.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        return token.isEmpty ? nil : token
    }

    private mutating func closedQuoted() -> String? {
        let (text, isClosed) = quoted()
        return isClosed ? text : nil
    }
}

package import HTTPTypes

/// One link of a `Link` header field (RFC 8288, section 3).
package struct Link: Hashable, Sendable {
    /// The text between the angle brackets, unchanged.
    package let target: String
    /// The relation types, in lower case: `next`, `deprecation`.
    package let relations: [String]
    /// Whether the link has `results="false"`, with which Sentry marks a page without rows.
    package let isEmpty: Bool

    /// Reads the links of a field value; the values of several fields are joined with commas.
    ///
    /// Accepts parameters in any order, quoted or not, several relations in one `rel`, and commas and semicolons inside
    /// brackets and quotes. Text that is not a link is skipped up to the next comma. If there are two `rel` parameters,
    /// the first one is used.
    package static func links(in field: String) -> [Link] {
        var scanner = LinkScanner(field)
        var links: [Link] = []
        while scanner.skipSeparators() {
            if let link = scanner.link() { links.append(link) } else { scanner.skipToComma() }
        }
        return links
    }

    /// The target of the first link with a relation, unless the link says that its page is empty.
    package static func target(_ relation: String, in field: String?) -> String? {
        field.flatMap { links(in: $0).first { $0.relations.contains(relation) && !$0.isEmpty }?.target }
    }
}

/// Reads the grammar of RFC 8288 byte by byte.
private struct LinkScanner {
    private let bytes: [UInt8]
    private var next = 0

    init(_ field: String) { bytes = Array(field.utf8) }

    private var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

    /// Moves to the start of the next link; false at the end.
    mutating func skipSeparators() -> Bool {
        while let byte, byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x09 { next += 1 }
        return byte != nil
    }

    mutating func skipToComma() {
        while let byte, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quoted() } else { next += 1 }
        }
    }

    /// `<target>; name=value; name="value"`
    mutating func link() -> Link? {
        guard skip(UInt8(ascii: "<")) else { return nil }
        let target = text { $0 != UInt8(ascii: ">") }
        guard skip(UInt8(ascii: ">")) else { return nil }
        var relations: [String]?, isEmpty = false
        while skip(UInt8(ascii: ";")) {
            let name = token()
            let value = skip(UInt8(ascii: "=")) ? value() : ""
            if name.lowercased() == "rel", relations == nil {
                relations = value.lowercased().split(separator: " ").map(String.init)
            } else if name.lowercased() == "results" {
                isEmpty = value.lowercased() == "false"
            }
        }
        skipSpace()
        guard byte == nil || byte == UInt8(ascii: ",") else { return nil }
        return Link(target: target, relations: relations ?? [], isEmpty: isEmpty)
    }

    private mutating func value() -> String {
        skipSpace()
        guard let byte, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { return token() }
        return quoted(by: byte)
    }

    private mutating func token() -> String {
        skipSpace()
        return text { !" \t,;=\"".utf8.contains($0) }
    }

    /// A quoted string; a character after a backslash is taken literally (RFC 9110, section 5.6.4). Some servers quote
    /// with apostrophes.
    private mutating func quoted(by quote: UInt8 = UInt8(ascii: "\"")) -> String {
        next += 1
        var value: [UInt8] = []
        while let byte, byte != quote {
            next += byte == UInt8(ascii: "\\") && next + 1 < bytes.count ? 1 : 0
            value.append(bytes[next])
            next += 1
        }
        next = min(next + 1, bytes.count)
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func text(while isPart: (UInt8) -> Bool) -> String {
        let part = bytes[next...].prefix(while: isPart)
        next = part.endIndex
        return String(decoding: part, as: UTF8.self)
    }

    /// Consumes a byte and any white space before it, if it comes next.
    private mutating func skip(_ wanted: UInt8) -> Bool {
        skipSpace()
        guard byte == wanted else { return false }
        next += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x09 { next += 1 }
    }
}

extension HTTPField.Name {
    /// `Link` (RFC 8288).
    package static let link = HTTPField.Name("Link")!
}

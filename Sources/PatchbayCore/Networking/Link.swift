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
        var reader = FieldValueReader(field), links: [Link] = []
        while reader.skipToElement() {
            if let link = reader.link() { links.append(link) } else { reader.skipElement() }
        }
        return links
    }

    /// The target of the first link with a relation, unless the link says that its page is empty.
    package static func target(_ relation: String, in field: String?) -> String? {
        field.flatMap { links(in: $0).first { $0.relations.contains(relation) && !$0.isEmpty }?.target }
    }
}

extension FieldValueReader {
    /// `<target>; name=value; name="value"`
    fileprivate mutating func link() -> Link? {
        guard skip("<") else { return nil }
        let target = text { $0 != UInt8(ascii: ">") }
        guard skip(">") else { return nil }
        var relations: [String]?, isEmpty = false
        while skip(";") {
            let name = token()
            let value = skip("=") ? value() : ""
            if name.lowercased() == "rel", relations == nil {
                relations = value.lowercased().split(separator: " ").map(String.init)
            } else if name.lowercased() == "results" {
                isEmpty = value.lowercased() == "false"
            }
        }
        skipSpace()
        return isAtElementEnd ? Link(target: target, relations: relations ?? [], isEmpty: isEmpty) : nil
    }

    /// A token, or a quoted string. Some servers quote with apostrophes.
    private mutating func value() -> String {
        skipSpace()
        return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") ? quoted().text : token()
    }

    private mutating func token() -> String {
        skipSpace()
        return text { !" \t,;=\"".utf8.contains($0) }
    }

    /// Consumes a character and any white space before it, if it comes next.
    private mutating func skip(_ wanted: Unicode.Scalar) -> Bool {
        skipSpace()
        return take(wanted)
    }
}

extension HTTPField.Name {
    /// `Link` (RFC 8288).
    package static let link = HTTPField.Name("Link")!
}

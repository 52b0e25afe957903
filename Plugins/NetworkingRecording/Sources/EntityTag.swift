/// An entity tag, compared weakly (RFC 9110, section 8.8.3.2): `W/"x"` equals `"x"`.
struct EntityTag {
    /// The tag without quotes; `*` for any.
    private let text: Substring
    private let isAny: Bool

    init?(_ field: String) {
        let tag = field.hasPrefix("W/") ? field.dropFirst(2) : field[...]
        guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
        text = tag.dropFirst().dropLast()
        isAny = false
    }

    private init(anyOf field: Substring) {
        text = field
        isAny = true
    }

    /// The tags of an `If-None-Match`; a comma may be inside quotes.
    static func list(_ field: String) -> [EntityTag] {
        if field == "*" { return [EntityTag(anyOf: field[...])] }
        var tags: [EntityTag] = []
        var rest = field[...]
        while let open = rest.firstIndex(of: "\"") {
            let afterOpen = rest.index(after: open)
            guard let close = rest[afterOpen...].firstIndex(of: "\"") else { break }
            if let tag = EntityTag(String(rest[open...close])) { tags.append(tag) }
            rest = rest[rest.index(after: close)...]
        }
        return tags
    }

    /// Whether two tags match; an empty tag matches nothing.
    func matches(_ other: EntityTag) -> Bool {
        isAny || (!text.isEmpty && text.utf8.elementsEqual(other.text.utf8))
    }
}

import HTTPTypes

/// Whether a request asks for an answer only if it has changed (RFC 9110, section 13.1).
struct Condition {
    private let entityTags: [EntityTag]?
    private let modifiedSince: String?

    init(_ request: HTTPRequest) {
        let isRead = request.method == .get || request.method == .head
        entityTags = isRead ? request.headerFields[.ifNoneMatch].map(EntityTag.list) : nil
        modifiedSince = isRead && entityTags == nil ? request.headerFields[.ifModifiedSince] : nil
    }

    /// Whether the asker has this answer already, so that it is told "not modified".
    func isKnown(_ answer: HTTPFields) -> Bool {
        if let entityTags {
            guard let current = answer[.eTag].flatMap(EntityTag.init) else { return false }
            return entityTags.contains { $0.matches(current) }
        }
        guard let modifiedSince else { return false }
        return answer[.lastModified] == modifiedSince
    }
}

/// An entity tag, compared weakly (RFC 9110, section 8.8.3.2): `W/"x"` equals `"x"`.
struct EntityTag {
    /// Without the quotes; `*` for any.
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

    /// The tags of an `If-None-Match`; a comma may stand inside quotes.
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

    /// An empty tag tells nothing and matches nothing.
    func matches(_ other: EntityTag) -> Bool {
        isAny || (!text.isEmpty && text.utf8.elementsEqual(other.text.utf8))
    }
}

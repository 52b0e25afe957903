package import HTTPTypes

/// Operations on entity tags (RFC 9110, section 8.8.3), which are kept in the form in which they were sent.
package enum EntityTag {
    /// Whether two tags are equal, ignoring `W/`.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        opaque(left).utf8.elementsEqual(opaque(right).utf8)
    }

    /// Whether a tag identifies an answer; some servers send the empty `W/""`, which identifies none.
    package static func isUsable(_ tag: String) -> Bool {
        let text = opaque(tag)
        return !text.isEmpty && text != "\"\""
    }

    /// Whether a list such as `"a", W/"b"` contains a tag or is `*`.
    package static func isListed(_ tag: String?, in list: String) -> Bool {
        if list == "*" { return true }
        guard let tag, isUsable(tag) else { return false }
        return tags(in: list).contains { isEqual($0, tag) }
    }

    /// Returns the tags of a list; a comma inside quotes is part of a tag.
    package static func tags(in list: String) -> [String] {
        var tags: [String] = [], current = "", isQuoted = false
        for character in list {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                tags.append(current)
                current = ""
            } else if isQuoted || (character != " " && character != "\t") {
                current.append(character)
            }
        }
        return (tags + [current]).filter { !$0.isEmpty }
    }

    /// Returns a tag without `W/`, with its quotes.
    package static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension HTTPFields {
    /// `Last-Modified`, unless the content could change again within that second: two versions would have the same time
    /// (RFC 9110, section 8.8.2.2).
    package var usableLastModified: String? {
        guard let text = self[.lastModified] else { return nil }
        guard let date = self[.date].flatMap(Timestamp.init(httpDate:)), let time = Timestamp(httpDate: text)
        else { return text }
        return time.advanced(by: .seconds(1)) <= date ? text : nil
    }
}

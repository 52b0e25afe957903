/// Operations on entity tags (RFC 9110, section 8.8.3), which are kept in the form in which they were sent.
enum EntityTag {
    /// Whether two tags are equal, ignoring `W/`.
    static func isEqual(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        opaque(left).utf8.elementsEqual(opaque(right).utf8)
    }

    /// Whether a tag is not empty; some servers send `W/""`.
    static func isUsable(_ tag: String) -> Bool { opaque(tag).utf8.count > 2 }

    /// Whether a list such as `"a", W/"b"` contains a tag or is `*`.
    static func isListed(_ tag: String?, in list: String) -> Bool {
        if list == "*" { return true }
        guard let tag, isUsable(tag) else { return false }
        return tags(in: list).contains { isEqual($0, tag) }
    }

    /// Returns the tags of a list; a comma inside quotes is part of a tag.
    static func tags(in list: String) -> [String] {
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
    static func opaque(_ tag: some StringProtocol) -> Substring {
        let text = Substring(tag)
        return text.hasPrefix("W/") ? text.dropFirst(2) : text
    }
}

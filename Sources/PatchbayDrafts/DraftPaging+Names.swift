import PatchbayDomain
import PatchbayJSON

/// The names of members and parameters that suggest how pages follow.
extension DraftPaging {
    static let numbers: Set<String> = [
        "page", "p", "pg", "pagenumber", "pageno", "pageindex", "currentpage", "pagenum",
    ]
    static let offsets: Set<String> = [
        "offset", "skip", "start", "startat", "startindex", "pageoffset", "from",
    ]
    /// Whether a parameter is the number of a page or of its first row.
    static func isCounter(_ parameter: String) -> Bool {
        let name = DraftWords.folded(parameter)
        return numbers.contains(name) || offsets.contains(name)
    }

    /// Parameters that take a cursor, most likely first.
    static let cursorParameters = [
        "cursor", "pagetoken", "nexttoken", "pagecursor", "nextcursor", "continuationtoken", "continuation",
        "startingafter", "after", "pageafter", "startcursor", "scrollid", "marker", "bookmark", "next",
        "start", "offset", "page",
    ]
    static let cursors: Set<String> = [
        "nextcursor", "nextpagetoken", "nexttoken", "cursor", "continuation", "continuationtoken", "scrollid",
        "endcursor", "pagetoken", "nextmarker", "marker", "bookmark", "nextpagekey", "nextpagecursor",
        "after", "startingafter",
    ]
    /// Names of totals without the word "total".
    static let totals: Set<String> = ["count", "found", "numfound", "resultcount"]
    static let flags: Set<String> = [
        "hasmore", "hasnext", "hasnextpage", "more", "hasmorepages", "hasmoreitems", "hasmoreresults",
    ]

    /// Whether members contain the next page: `next_page_url`, `links/next`, `_links/next/href`.
    static func isNext(_ path: [String]) -> Bool {
        let names = path.suffix(2).map { DraftWords.split($0) }
        guard let last = names.last else { return false }
        if last.contains("next") { return !last.contains("token") && !last.contains("cursor") }
        return ["href", "url", "uri", "link"].contains(last.joined()) && names.count == 2
            && names[0].contains("next")
    }

    /// Whether the names of members are those of an address: `links/next`, `next_page_url`.
    static func isAddress(_ path: [String]) -> Bool {
        path.flatMap(DraftWords.split).contains { ["href", "link", "links", "uri", "url"].contains($0) }
    }

    /// The parameter in which a cursor is probably sent.
    static func guessedParameter(_ name: String) -> String {
        switch DraftWords.folded(name) {
        case "endcursor": "after"
        case "after", "startingafter", "marker", "bookmark": name
        case "nextpagetoken": name.contains("_") ? "page_token" : "pageToken"
        case "nexttoken": name.contains("_") ? "next_token" : "nextToken"
        default: name.hasPrefix("next_") ? String(name.dropFirst("next_".count)) : "cursor"
        }
    }

    /// Whether a number is more likely a count than a cursor.
    static func isCount(_ path: [String], _ value: JSONValue) -> Bool {
        guard case .number(let text) = value else { return false }
        let words = DraftWords.split(path.last ?? "")
        return text.count < 3
            || words.contains { ["total", "count", "size", "limit", "page", "pages"].contains($0) }
    }

    /// The members of an answer outside its arrays; with `withObjects` also those that are objects, before their own.
    static func members(
        of value: JSONValue, at path: [String] = [], withObjects: Bool = false
    ) -> [(path: [String], value: JSONValue)] {
        guard path.count < 4 else { return [] }
        return value.members.flatMap { name, value in
            let path = path + [name]
            guard value.isObject else { return [(path, value)] }
            return (withObjects ? [(path, value)] : [])
                + members(of: value, at: path, withObjects: withObjects)
        }
    }

    /// A path as one word of a line; nil when a definition cannot express it.
    static func spelled(_ path: [String]) -> String? {
        let path = JSONPath(path.map { .member($0) }), text = path.description
        return JSONPath(text) == path && isWord(text) ? text : nil
    }

    /// Whether a text is one word of a line.
    static func isWord(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(where: \.isWhitespace)
            && DraftText.line("next", "cursor \(text)") != nil
    }
}

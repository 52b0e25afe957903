import PatchbayDomain
import PatchbayJSON

/// The names of members and parameters that suggest how pages follow.
extension DraftPaging {
    private static let numbers: Set<String> = [
        "page", "p", "pg", "pagenumber", "pageno", "pageindex", "currentpage", "pagenum",
    ]
    private static let offsets: Set<String> = [
        "offset", "skip", "start", "startat", "startindex", "pageoffset", "from", "fromindex", "recordindex",
        "sindex", "firstresult", "skipcount", "startrow", "rowoffset", "recordoffset", "startrecord",
        "startposition",
    ]

    /// Whether the name of a parameter is that of the number of a page or of its first row.
    static func isCounter(_ parameter: String) -> Bool { isPageNumber(parameter) || isOffset(parameter) }

    static func isPageNumber(_ parameter: String) -> Bool { numbers.contains(inner(parameter)) }

    private static func isOffset(_ parameter: String) -> Bool { offsets.contains(inner(parameter)) }

    /// A name without the differences between spellings, and without an object around it: `pagination[page]`.
    static func inner(_ parameter: String) -> String {
        let words = DraftWords.split(parameter)
        let isInner = words.count > 1 && ["pagination", "paging"].contains(words[0])
        return words.dropFirst(isInner ? 1 : 0).joined()
    }

    /// Whether a document describes a parameter as the number of a page; otherwise whether its name is that of one.
    func isPageNumber(_ parameter: String) -> Bool {
        guard let role = samples.first?.roles[parameter] else { return Self.isPageNumber(parameter) }
        return if case .page = role { true } else { false }
    }

    /// The same for the number of a page's first row.
    func isOffset(_ parameter: String) -> Bool {
        guard let role = samples.first?.roles[parameter] else { return Self.isOffset(parameter) }
        return if case .offset = role { true } else { false }
    }

    /// Parameters that take a cursor, most likely first.
    static let cursorParameters = [
        "cursor", "pagetoken", "nexttoken", "pagecursor", "nextcursor", "continuationtoken", "continuation",
        "startingafter", "startingafterid", "after", "pageafter", "startcursor", "scrollid", "marker",
        "bookmark", "iterator", "next",
        "start", "offset", "page",
    ]
    static let cursors: Set<String> = [
        "nextcursor", "nextpagetoken", "nexttoken", "cursor", "continuation", "continuationtoken", "scrollid",
        "endcursor", "pagetoken", "nextmarker", "marker", "bookmark", "nextpagekey", "nextpagecursor",
        "after", "startingafter", "iterator",
    ]
    /// Names of totals without the word "total".
    static let totals: Set<String> = ["count", "found", "numfound", "resultcount"]
    static let flags: Set<String> = [
        "hasmore", "hasnext", "hasnextpage", "more", "hasmorepages", "hasmoreitems", "hasmoreresults",
    ]

    static let lastFlags: Set<String> = ["done", "endoflist", "isdone", "islast", "islastpage"]

    /// Whether members contain the next page: `next_page_url`, `links/next`, `_links/next/href`.
    static func isNext(_ path: [String]) -> Bool {
        let names = path.suffix(2).map { DraftWords.split($0) }
        guard let last = names.last, let end = last.last, !timeWords.contains(end) else { return false }
        if last.contains("next") { return cursorWords.isDisjoint(with: last) }
        return ["href", "url", "uri", "link"].contains(last.joined()) && names.count == 2
            && names[0].contains("next")
    }

    /// The last words of members with a time: `next_run_at`.
    private static let timeWords: Set<String> = ["at", "date", "datetime", "on", "time", "timestamp", "utc"]

    private static let cursorWords: Set<String> = ["cursor", "iterator", "mark", "marker", "token"]

    /// Whether the name of a member is that of a cursor: `nextCursorMark`, `more_starting_after`.
    static func isCursor(_ path: [String]) -> Bool {
        let words = DraftWords.split(path.last ?? "")
        let isOfNext = words.contains("next") && !cursorWords.isDisjoint(with: words)
        return cursors.contains(words.filter { $0 != "more" }.joined())
            || isOfNext && !isAddress(Array(path.suffix(1))) && !timeWords.contains(words.last ?? "")
    }

    private static let pageWords: Set<String> = [
        "continuation", "next", "page", "pages", "pagination", "paging", "resume", "start",
    ]

    /// Whether a parameter is named as one with a cursor: `pagination_token`, `start_key`.
    static func takesCursor(_ parameter: String) -> Bool {
        let words = DraftWords.split(parameter), last = words.last ?? ""
        return words.allSatisfy { !["before", "prev", "previous"].contains($0) }
            && (["bookmark", "cursor", "iterator", "marker"].contains(last)
                || ["key", "token"].contains(last) && !pageWords.isDisjoint(with: words))
    }

    /// Whether the names of members are those of an address: `links/next`, `next_page_url`.
    static func isAddress(_ path: [String]) -> Bool {
        path.flatMap(DraftWords.split).contains { ["href", "link", "links", "uri", "url"].contains($0) }
    }

    /// The parameter in which a cursor is probably sent.
    static func guessedParameter(_ name: String) -> String {
        if DraftWords.folded(name) == "endcursor" { return "after" }
        let rest = name.dropFirst("next".count), isNext = name.hasPrefix("next") && name != "nextToken"
        // `next_cursor`, `nextPageToken`; a token that is only the next one keeps its name.
        if name.hasPrefix("next_"), name != "next_token" { return String(rest.dropFirst()) }
        return isNext && rest.first?.isUppercase == true
            ? rest.prefix(1).lowercased() + rest.dropFirst() : name
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
        let path = JSONPath(members: path), text = path.description
        return JSONPath(text) == path && isWord(text) ? text : nil
    }

    /// Whether a text is one word of a line.
    static func isWord(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(where: \.isWhitespace)
            && DraftText.line("next", "cursor \(text)") != nil
    }
}

import PatchbayDomain

/// Keys that only their names suggest.
extension DraftTable {
    /// The last words of members that usually distinguish rows, the likeliest first.
    private static let lastWords = [
        "id", "uuid", "guid", "uid", "key", "sid", "number", "code", "sku", "serial", "isbn", "ean", "ref",
        "reference",
        "identifier",
        "name", "slug", "handle", "symbol", "username", "login", "email", "url", "uri", "href", "address",
        "domain",
        "hostname", "host", "ip", "path", "filename", "fingerprint", "hash", "phone", "title", "label",
        "locale",
        "language", "country", "currency", "version", "month", "day", "year", "date", "type", "event",
    ]

    /// The likeliness of a name that is not that of a key; lower is likelier.
    static func guessRank(_ path: [String]) -> Int {
        let word = DraftWords.split(path.last ?? "").last ?? ""
        return lastWords.firstIndex(of: word) ?? lastWords.count
    }

    /// The member of a document's row that is most likely its key although nothing says so: an id of its own or of an
    /// object in it, then a name or an address. Nil when no member is likely.
    func guessedKey(_ candidates: [DraftField], noun: String, parentVariables: Set<String>) -> [String]? {
        let usable = candidates.compactMap(\.asKey).map(\.column.path).filter { path in
            (1...2).contains(path.count) && Self.guessRank(path) < Self.lastWords.count
                && !parentVariables.contains(DraftWords.folded(path.joined(separator: "_")))
        }
        let ids = 5, first = survey.columns.first?.path
        let named = usable.filter { Self.isNamed($0, after: noun) }.map { DraftWords.split($0[0]) }
        return usable.ordered { path in
            let rank = Self.guessRank(path), words = DraftWords.split(path.last ?? "")
            // All members may begin with the name of the API: `shop_id` beside `shop_order_id`.
            let isStem =
                path.count == 1
                && named.contains { $0.starts(with: words.dropLast()) && $0.last == words.last }
            // An id in an object comes after the row's own id, but before the row's name. Of several, the one named
            // after the rows is likelier (`transaction_id` of transactions), then the first member of the row, then one
            // without another name.
            return [
                rank < ids ? 0 : 1, Self.isOwnID(words, noun: noun) ? 0 : 1, path.count, isStem ? 0 : 1,
                rank < ids && path == first ? 0 : 1, rank, words.count == 1 ? 0 : 1,
            ]
        }.first
    }

    /// Whether the name of a member contains the word for a row, and ends like that of a key: `sales_order_id` of
    /// orders.
    static func isNamed(_ path: [String], after noun: String) -> Bool {
        guard path.count == 1, let last = DraftWords.split(noun).last else { return false }
        return DraftWords.split(path[0]).dropLast().contains(last) && guessRank(path) <= guessRank(["name"])
    }
}

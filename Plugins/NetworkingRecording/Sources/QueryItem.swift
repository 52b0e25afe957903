/// One `name=value` of a query or a form, percent-encoded in the one canonical spelling.
struct QueryItem: Hashable, Comparable, Sendable {
    let name: String
    let value: String

    init(rawName: some StringProtocol, rawValue: some StringProtocol) {
        name = PercentEncoding.canonical(rawName, plusIsSpace: true)
        value = PercentEncoding.canonical(rawValue, plusIsSpace: true)
    }

    /// The items of `a=1&b=2`, sorted, without those that hold credentials.
    static func items(of query: some StringProtocol) -> [QueryItem] {
        let items = query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(rawName: parts[0], rawValue: parts.count > 1 ? parts[1] : "")
        }
        return matched(items)
    }

    /// What takes part in matching: everything but credentials, in one order.
    ///
    /// Recordings hold placeholders for credentials, or none at all.
    static func matched(_ items: [QueryItem]) -> [QueryItem] {
        items.filter { !credentials.contains($0.name) }.sorted()
    }

    static func < (left: QueryItem, right: QueryItem) -> Bool {
        left.name == right.name ? left.value < right.value : left.name < right.name
    }

    /// For messages: a value that looks like a secret is left out.
    var display: String {
        let isSecret = QueryItem.secretWords.contains { name.lowercased().contains($0) }
        return isSecret ? name + "=..." : value.isEmpty ? name : name + "=" + value
    }

    private static let credentials: Set<String> = ["client_id", "client_secret", "access_token", "token"]
    private static let secretWords = ["token", "secret", "passw", "key", "auth", "signature", "credential"]
}

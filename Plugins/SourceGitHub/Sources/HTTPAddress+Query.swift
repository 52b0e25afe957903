import HTTPTypes
import PatchbayCore

extension HTTPAddress {
    var request: HTTPRequest {
        HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
    }

    /// Items a page: what the address says, else what GitHub gives.
    var pageItems: Int { queryInteger("per_page").map { Int(clamping: $0) } ?? 30 }

    /// The number that the query gives for a name; nil when it gives none or something else.
    func queryInteger(_ name: String) -> Int64? {
        let query = path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let item = query.split(separator: "&").first { $0.hasPrefix(name + "=") }
        return item.flatMap { Int64($0.dropFirst(name.count + 1)) }
    }

    /// The address for messages: without the values of credentials in its query.
    var display: String {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return text }
        let items = parts[1].split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return SecretNames.mayBeSecret(parameter: name) ? "\(name)=..." : String(item)
        }
        return "\(origin)\(parts[0])?\(items.joined(separator: "&"))"
    }
}

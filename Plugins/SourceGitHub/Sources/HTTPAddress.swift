import HTTPTypes

/// An absolute `http` or `https` URL, in the parts that a request wants.
struct HTTPAddress: Hashable, Sendable {
    let scheme: String
    /// Host and port, as they were written.
    let authority: String
    /// Path and query.
    let target: String

    /// Nil for a relative URL, another scheme, one that names a user, or one with characters that no URL
    /// holds.
    init?(_ url: String) {
        guard let separator = url.firstRange(of: "://"), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let rest = url[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        scheme = url[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http", !authority.isEmpty, !authority.contains("@") else {
            return nil
        }
        self.authority = String(authority)
        target = String(rest[authority.endIndex...])
    }

    /// What scheme, host and port must share to be the same server.
    var origin: String { "\(scheme)://\(server)" }

    /// Host and port in small letters, without the port that the scheme implies.
    var server: String {
        let impliedPort = scheme == "https" ? ":443" : ":80"
        let authority = authority.lowercased()
        return String(
            authority.hasSuffix(impliedPort) ? authority.dropLast(impliedPort.utf8.count) : authority[...])
    }

    var request: HTTPRequest {
        let path = target.hasPrefix("/") ? target : "/" + target
        return HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
    }

    /// The number that the query gives for a name; nil when it gives none or something else.
    func queryInteger(_ name: String) -> Int64? {
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let item = query.split(separator: "&").first { $0.hasPrefix(name + "=") }
        return item.flatMap { Int64($0.dropFirst(name.count + 1)) }
    }

    /// The URL for messages: without the values of credentials in its query.
    var display: String {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return "\(scheme)://\(authority)\(target)" }
        let items = parts[1].split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return HTTPAddress.isCredential(name) ? "\(name)=..." : String(item)
        }
        return "\(scheme)://\(authority)\(parts[0])?\(items.joined(separator: "&"))"
    }

    private static func isCredential(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return ["token", "secret", "client_id", "passw", "key"].contains { name.contains($0) }
    }
}

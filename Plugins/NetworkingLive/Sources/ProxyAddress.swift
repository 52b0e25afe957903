#if Live
import PatchbayCore

/// The address of a proxy: `http://host:3128`, `http://name:password@host`, `socks5://host`.
package struct ProxyAddress: Hashable, Sendable {
    /// The protocol of the proxy.
    enum Language: Hashable, Sendable { case http, socks5 }

    let language: Language
    let host: String
    let port: Int
    let user: String?
    let password: String?

    /// Whether the address contains a name and a password.
    package var hasCredentials: Bool { user != nil }

    /// - Returns: nil when the text is not such an address. TLS to the proxy itself is not supported.
    package init?(_ text: String) {
        var rest = text[...]
        var language = Language.http
        if let end = text.firstRange(of: "://") {
            switch text[..<end.lowerBound].lowercased() {
            case "http": language = .http
            case "socks5", "socks5h": language = .socks5
            default: return nil
            }
            rest = text[end.upperBound...]
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var user: String?, password: String?
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = PercentEncoding.decoded(parts[0])
            password = PercentEncoding.decoded(parts.count > 1 ? parts[1] : "")
            rest = rest[rest.index(after: at)...]
        }
        guard let authority = Authority(rest), language == .http || user == nil else { return nil }
        self.language = language
        host = authority.host
        port = authority.port ?? (language == .http ? 80 : 1080)
        self.user = user
        self.password = password
    }
}
#endif

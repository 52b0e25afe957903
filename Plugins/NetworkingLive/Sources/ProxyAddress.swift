#if Live
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
            user = String(decoding: PercentDecoding.bytes(of: parts[0]), as: UTF8.self)
            password = String(
                decoding: PercentDecoding.bytes(of: parts.count > 1 ? parts[1] : ""), as: UTF8.self)
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

/// Decodes text with `%41` for `A`.
enum PercentDecoding {
    static func bytes(of text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(Substring(rest.prefix(2)), radix: 16),
                rest.count >= 2
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
#endif

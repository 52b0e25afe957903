package import HTTPTypes

/// An absolute http(s) address split into the parts of a request, each in its canonical form.
package struct HTTPAddress: Hashable, Sendable {
    package private(set) var scheme: String
    /// Host and port in lower case, without the scheme's default port.
    package private(set) var authority: String
    /// Path and query; begins with a slash.
    package private(set) var path: String

    package var text: String { origin + path }

    /// The path without its query.
    package var pathOnly: Substring { path.prefix { $0 != "?" } }

    /// The query without its question mark; empty when there is none.
    package var query: Substring { path.drop { $0 != "?" }.dropFirst() }

    /// The scheme, host and port, which are equal for the same server: `https://api.github.com`.
    package var origin: String { "\(scheme)://\(authority)" }

    /// Whether the address can only refer to this machine.
    package var isLoopback: Bool {
        let host =
            authority.hasPrefix("[")
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return host == "localhost" || IPAddress.isLoopback(String(host))
    }

    package init(of request: HTTPRequest) {
        scheme = (request.scheme ?? "https").lowercased()
        authority = HTTPAddress.authority(request.authority ?? "", scheme)
        path = request.path ?? "/"
    }

    /// Nil for a relative address, another scheme, an address with a user name, or one with spaces, control characters
    /// or letters outside ASCII.
    package init?(_ text: String) {
        scheme = "https"
        authority = ""
        path = "/"
        guard text.isVisibleASCII, HTTPAddress.scheme(of: text[...]) != nil, let address = resolving(text)
        else { return nil }
        self = address
    }

    /// Resolves a `Location` or a link against this address: absolute, `//host/path`, `/path` or `?query`. A relative
    /// path is resolved against this address's folder. Characters that an address must not contain are percent-encoded
    /// (``PercentEncoding/target(_:)``). Nil when the result is not http(s), and for control characters.
    package func resolving(_ location: String) -> HTTPAddress? {
        let location = location.prefix { $0 != "#" }
        guard !location.isEmpty, location.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        var address = self
        if location.hasPrefix("//") {
            return address.take(authorityAndPath: location.dropFirst(2)) ? address : nil
        }
        if let scheme = HTTPAddress.scheme(of: location) {
            address.scheme = scheme.lowercased()
            let rest = location[scheme.endIndex...]
            guard ["https", "http"].contains(address.scheme), rest.hasPrefix("://") else { return nil }
            return address.take(authorityAndPath: rest.dropFirst(3)) ? address : nil
        }
        switch location.first {
        case "/": address.path = PercentEncoding.target(location)
        case "?": address.path = pathOnly + PercentEncoding.target(location)
        default: address.path = folder + PercentEncoding.target(location)
        }
        return address
    }

    /// The scheme at the start of an address; nil for a relative one (RFC 3986, section 3.1). A later colon, such as in
    /// a query, does not end a scheme.
    private static func scheme(of address: Substring) -> Substring? {
        let scheme = address.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        return !scheme.isEmpty && address[scheme.endIndex...].first == ":" ? scheme : nil
    }

    /// The path up to its last slash.
    private var folder: String {
        String(pathOnly[...(pathOnly.lastIndex(of: "/") ?? pathOnly.startIndex)])
    }

    private mutating func take(authorityAndPath text: Substring) -> Bool {
        let host = text.prefix { $0 != "/" && $0 != "?" }
        // A user name or password in an address is never needed here, and may be an attack.
        guard !host.isEmpty, !host.contains("@"), host.isVisibleASCII else { return false }
        authority = HTTPAddress.authority(String(host), scheme)
        let rest = PercentEncoding.target(text[host.endIndex...])
        path = rest.hasPrefix("/") ? rest : "/" + rest
        return true
    }

    private static func authority(_ text: String, _ scheme: String) -> String {
        let text = text.lowercased()
        let impliedPort = scheme == "https" ? ":443" : ":80"
        return text.hasSuffix(impliedPort) ? String(text.dropLast(impliedPort.utf8.count)) : text
    }
}

/// IP addresses in the system's notation.
package enum IPAddress {
    /// Whether the address can only refer to this machine: 127.0.0.0/8 or ::1, also as an IPv4-mapped IPv6 address.
    package static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let address = address.lowercased()
        let v4 = address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]
        let numbers = v4.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}

#if Live
import PatchbayCore

/// The choice of a proxy. Requests to this machine never use one.
package enum ProxyChoice: Sendable {
    /// All connections are direct.
    case none
    /// Every request uses the given proxy.
    case always(ProxyAddress)
    /// `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or the same in lower case, which take precedence.
    case environment([String: String])

    /// Returns the proxy for a target; nil for a direct connection.
    ///
    /// - Throws: `invalidConfiguration` when a variable is not a proxy address. The message does not show the value,
    ///   which may contain a password.
    func proxy(for target: Target) throws -> ProxyAddress? {
        if target.isLoopback { return nil }
        switch self {
        case .none: return nil
        case .always(let proxy): return proxy
        case .environment(let variables):
            let names = target.isEncrypted ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"]
            guard let name = names.first(where: { variables[$0]?.isEmpty == false }) else { return nil }
            if ProxyExceptions(variables["no_proxy"] ?? variables["NO_PROXY"] ?? "").cover(target) {
                return nil
            }
            guard let proxy = ProxyAddress(variables[name]!) else {
                throw PatchbayError(
                    .invalidConfiguration,
                    "the environment variable \(name) is not the address of a proxy; "
                        + "set one such as http://proxy.example:3128, or networking.proxy = none")
            }
            return proxy
        }
    }
}

/// The hosts in `NO_PROXY`. `example.org` includes its subdomains, `*` matches all hosts, and a port restricts the
/// match.
struct ProxyExceptions {
    private let names: [Substring]

    init(_ text: String) { names = text.split { $0 == "," || $0.isWhitespace } }

    func cover(_ target: Target) -> Bool {
        names.contains { name in
            if name == "*" { return true }
            var name = name.lowercased()
            if let colon = name.lastIndex(of: ":"), let port = Int(name[name.index(after: colon)...]),
                !name[..<colon].contains(":") || name[..<colon].hasSuffix("]")
            {
                guard port == target.port else { return false }
                name = String(name[..<colon])
            }
            name = String(name.drop { $0 == "." || $0 == "[" || $0 == "*" }.prefix { $0 != "]" })
            return !name.isEmpty && (target.host == name || target.host.hasSuffix("." + name))
        }
    }
}
#endif

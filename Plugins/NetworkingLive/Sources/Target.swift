#if Live
import HTTPTypes
import PatchbayCore

/// The destination of a request.
struct Target {
    let isEncrypted: Bool
    let host: String
    let port: Int
    let url: String

    /// - Throws: `invalidValue` when the request does not have an http(s) address.
    init(_ request: HTTPRequest) throws {
        let scheme = (request.scheme ?? "https").lowercased()
        let path = request.path.map { $0.isEmpty ? "/" : $0 } ?? "/"
        guard scheme == "https" || scheme == "http" else {
            throw PatchbayError(.invalidValue, "the scheme \"\(scheme)\" is not supported; use https")
        }
        guard let authority = Authority(request.authority ?? "") else {
            throw PatchbayError(
                .invalidValue, "the request has no valid host, such as api.github.com or localhost:8765")
        }
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PatchbayError(
                .invalidValue,
                "a path at \"\(authority.host)\" contains invalid characters; percent-encode it")
        }
        isEncrypted = scheme == "https"
        host = authority.host
        port = authority.port ?? (isEncrypted ? 443 : 80)
        let shownHost = host.contains(":") ? "[\(host)]" : host
        // The HTTP client encodes the percent signs of an address with invalid characters again.
        let encoded = PercentEncoding.target(path)
        url = "\(scheme)://\(shownHost)" + (authority.port.map { ":\($0)" } ?? "") + encoded
    }

    /// The name in messages: the host, with the port if it is not the default.
    var name: String { port == (isEncrypted ? 443 : 80) ? host : "\(host):\(port)" }

    /// Whether the host is this machine: 127.0.0.0/8, ::1, `localhost`.
    var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
#endif

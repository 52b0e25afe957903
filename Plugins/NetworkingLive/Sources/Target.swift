#if Live
import HTTPTypes
import PatchbayCore

/// Where a request goes.
struct Target {
    let isEncrypted: Bool
    let host: String
    let port: Int
    let url: String

    /// - Throws: `invalidValue` when the request names no http(s) address.
    init(_ request: HTTPRequest) throws {
        let scheme = (request.scheme ?? "https").lowercased()
        let path = request.path.map { $0.isEmpty ? "/" : $0 } ?? "/"
        guard scheme == "https" || scheme == "http" else {
            throw PatchbayError(.invalidValue, "the scheme \"\(scheme)\" cannot be asked; use https")
        }
        guard let authority = Authority(request.authority ?? "") else {
            throw PatchbayError(
                .invalidValue, "there is no host to ask; give one such as api.github.com or localhost:8765")
        }
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PatchbayError(
                .invalidValue, "a path at \"\(authority.host)\" holds what no address can; percent-encode it")
        }
        isEncrypted = scheme == "https"
        host = authority.host
        port = authority.port ?? (isEncrypted ? 443 : 80)
        let shownHost = host.contains(":") ? "[\(host)]" : host
        url = "\(scheme)://\(shownHost)" + (authority.port.map { ":\($0)" } ?? "") + path
    }

    /// What messages call it: the host, with a port that is not the usual one.
    var name: String { port == (isEncrypted ? 443 : 80) ? host : "\(host):\(port)" }

    /// Whether the address means this machine: 127.0.0.0/8, ::1, `localhost`.
    var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
#endif

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
        guard path.hasPrefix("/"), path.isVisibleASCII else {
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
        // It also sends a path that it cannot decode as "/".
        guard PercentEncoding.text(of: encoded.prefix { $0 != "?" }.utf8, plusIsSpace: false) != nil else {
            throw PatchbayError(
                .invalidValue,
                "a path at \"\(authority.host)\" contains percent-encoded bytes that are not UTF-8, and cannot be sent"
            )
        }
        url = "\(scheme)://\(shownHost)" + (authority.port.map { ":\($0)" } ?? "") + encoded
    }

    /// The name in messages: the host, with the port if it is not the default.
    var name: String { port == (isEncrypted ? 443 : 80) ? host : "\(host):\(port)" }

    /// Whether the host is this machine: 127.0.0.0/8, ::1, `localhost`.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || IPAddress.isLoopback(host)
    }
}

/// Host and port of an address: `api.github.com`, `localhost:8765`, `[::1]:80`.
struct Authority: Hashable {
    /// In lower case, without brackets.
    let host: String
    let port: Int?

    /// - Returns: nil for anything else, such as user names, white space or non-ASCII letters.
    init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        let host: Substring, after: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            after = text[text.index(after: end)...]
            guard host.contains(":"), host.utf8.allSatisfy(Authority.isAddressByte) else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            after = text[host.endIndex...]
            guard !host.isEmpty, host.utf8.allSatisfy(Authority.isNameByte) else { return nil }
        }
        self.host = String(host)
        if after.isEmpty {
            port = nil
        } else {
            let digits = after.dropFirst()
            guard after.hasPrefix(":"), digits.isASCIIDigits,
                let port = Int(digits), (1...65535).contains(port)
            else { return nil }
            self.port = port
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILowercase || byte.isASCIIDigit || "-._".utf8.contains(byte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || "abcdef:.".utf8.contains(byte)
    }
}
#endif

/// An address on which a server listens, as in `serve.listen`.
package enum ServingAddress: Hashable, Sendable {
    /// `unix:PATH`, a socket that only its owner may open.
    case unix(path: String)
    /// `HOST:PORT`; port 0 lets the system choose one. The host has no brackets.
    case tcp(host: String, port: Int)
    /// `systemd`, the sockets that systemd passes on (sd_listen_fds(3)).
    case systemd

    /// The maximum length of a socket's path, in bytes (unix(7)).
    static let pathBytesMax = 107
}

extension ServingAddress: CustomStringConvertible {
    /// The address as `serve.listen` accepts it; an IPv6 address is in brackets.
    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .systemd: "systemd"
        }
    }
}

extension ServingAddress {
    /// Reads one address. `~` and `${NAME}` in a path are replaced.
    ///
    /// - Throws: the problem, as a phrase that follows the key and its value.
    init(_ text: String, environment: [String: String]) throws(ServingFault) {
        if text == "systemd" {
            self = .systemd
        } else if text.hasPrefix("unix:") {
            self = .unix(path: try Self.path(String(text.dropFirst(5)), environment))
        } else {
            self = try Self.tcp(text)
        }
    }

    private static func path(
        _ text: String, _ environment: [String: String]
    ) throws(ServingFault) -> String {
        let path: String
        do {
            path = try PathExpansion(environment: environment).expand(text, from: nil)
        } catch {
            throw ServingFault("\(error.message); or listen on another path or HOST:PORT")
        }
        guard !path.isEmpty else { throw ServingFault("\"unix:\" needs a path") }
        guard path.utf8.count <= pathBytesMax else {
            throw ServingFault(
                "the path has \(path.utf8.count) bytes; the path of a socket has at most \(pathBytesMax)")
        }
        return path
    }

    private static func tcp(_ text: String) throws(ServingFault) -> ServingAddress {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ServingFault("\"\(text)\" must be unix:PATH, HOST:PORT or systemd")
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw ServingFault("\"\(text)\": write an IPv6 address in brackets, [::1]:8080")
        }
        // "*" would be taken for the name of a machine.
        guard !host.isEmpty, host != "*" else {
            throw ServingFault("\"\(text)\" needs a host; use 127.0.0.1 for this machine only")
        }
        return .tcp(host: String(host), port: Int(port))
    }
}

/// What is wrong with a value of `serve`, as a phrase that follows the key.
struct ServingFault: Error {
    let problem: String

    init(_ problem: String) { self.problem = problem }
}

import PatchbayCore

/// Decides whether a server is called by a name of its own.
///
/// A web page whose name an attacker lets point to this machine ("DNS rebinding") sends its own name as `Host`. So over
/// TCP the name must be one that cannot be somebody else's: by the connection's local address, not by what the request
/// says of it.
struct HostRule: Sendable {
    /// Further names, in small letters: `NAME` or `NAME:PORT`.
    let hosts: Set<String>

    func allows(_ authority: String?, on connection: ServerRequest.Connection) -> Bool {
        // No web page reaches a Unix domain socket, and clients send any name there.
        guard case .tcp(let address, let port) = connection.local else { return true }
        guard let authority = authority?.lowercased(), let (name, namedPort) = Self.parts(of: authority)
        else {
            return false
        }
        if hosts.contains(name) || hosts.contains(authority) { return true }
        guard namedPort ?? (connection.isEncrypted ? 443 : 80) == port else { return false }
        return name == address || name == "[\(address)]"
            || (IPAddress.isLoopback(address) && ["localhost", "127.0.0.1", "[::1]"].contains(name))
    }

    /// The name, an IPv6 address with its brackets, and the port; nil for what is neither.
    private static func parts(of authority: String) -> (name: String, port: Int?)? {
        let end: String.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            end = authority.index(after: bracket)
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let name = authority[..<end], rest = authority[end...]
        guard !name.isEmpty else { return nil }
        if rest.isEmpty { return (String(name), nil) }
        guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()) else { return nil }
        return (String(name), Int(port))
    }
}

import PatchbayCore

/// Decides whether a request uses a name of this server.
///
/// An attacker can point the name of a web page to this machine ("DNS rebinding"); its requests have that name as
/// `Host`. So over TCP the name must match the connection's local address, or be a listed name.
struct HostRule: Sendable {
    /// Further names, in lower case: `NAME` or `NAME:PORT`.
    let hosts: Set<String>

    func allows(_ authority: String?, on connection: ServerRequest.Connection) -> Bool {
        // Web pages cannot reach a Unix domain socket, and its clients may send any name.
        guard case .tcp(let address, let port) = connection.local else { return true }
        if authority == connection.authority { return true }
        guard let authority = authority?.lowercased(), let (name, namedPort) = Self.parts(of: authority)
        else {
            return false
        }
        if !hosts.isEmpty, hosts.contains(String(name)) || hosts.contains(authority) { return true }
        guard namedPort ?? (connection.isEncrypted ? 443 : 80) == port else { return false }
        return name == address || name == "[\(address)]"
            || (IPAddress.isLoopback(address) && ["localhost", "127.0.0.1", "[::1]"].contains(String(name)))
    }

    /// Returns the name, or an IPv6 address in brackets, and the port; nil for invalid text.
    private static func parts(of authority: String) -> (name: Substring, port: Int?)? {
        let end: String.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = authority.utf8.index(after: bracket)
        } else {
            end = authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        }
        let name = authority[..<end], rest = authority.utf8[end...]
        guard !name.isEmpty else { return nil }
        if rest.isEmpty { return (name, nil) }
        guard rest.first == UInt8(ascii: ":"), let port = UInt16(Substring(rest.dropFirst())) else {
            return nil
        }
        return (name, Int(port))
    }
}

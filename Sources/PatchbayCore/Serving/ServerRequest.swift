public import HTTPTypes

/// A request from a client: its head, and its body once that has been read.
///
/// The parts of the server operate on these values, so that they can be tested without a socket. A plugin converts them
/// to and from HTTP.
public struct ServerRequest: Sendable {
    /// The method, the `Host` as authority, and the path with its query as the client wrote them.
    public var head: HTTPRequest
    /// The whole body; empty when there is none, or it has not been read.
    public var body: [UInt8]
    /// The connection on which the request was received.
    public var connection: Connection
    /// Whether the client may act for the owner, because it used a Unix domain socket, which only its owner may open,
    /// or presented the server's token. Set by the checks before a responder.
    package var isTrusted = false
    /// The client whose own token was presented; nil for the owner and for strangers. Set by the same checks.
    package var clientName: String?

    /// Whether the head announces a body.
    public var hasBody: Bool { head.headerFields.contains(.transferEncoding) || bodyBytes ?? 0 > 0 }

    /// The size of the body that the head announces, in bytes; nil if it announces none or does not state the size.
    package var bodyBytes: Int? { head.headerFields.value(of: .contentLength).flatMap { Int($0) } }

    /// Creates a request that is not trusted.
    public init(head: HTTPRequest, body: [UInt8] = [], connection: Connection) {
        self.head = head
        self.body = body
        self.connection = connection
    }

    /// The connection of a request, which all its requests share.
    public final class Connection: Sendable {
        /// The server's end.
        public let local: Endpoint
        /// The client's end.
        public let remote: Endpoint
        /// Whether the connection to this server uses TLS; the TLS of a reverse proxy does not count.
        public let isEncrypted: Bool
        /// The server's end as clients name it in `Host`, `127.0.0.1:8080` or `[::1]:8080`; nil for a Unix domain
        /// socket.
        package let authority: String?

        /// Creates the description of a connection, which is not encrypted by default.
        public init(local: Endpoint, remote: Endpoint, isEncrypted: Bool = false) {
            self.local = local
            self.remote = remote
            self.isEncrypted = isEncrypted
            authority =
                switch local {
                case .tcp(let address, let port):
                    address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]:\(port)" : "\(address):\(port)"
                case .unix: nil
                }
        }
    }

    /// One end of a connection.
    public enum Endpoint: Hashable, Sendable {
        /// The path of a Unix domain socket; empty for the client's end.
        case unix(path: String)
        /// An IP address without brackets, and a port.
        case tcp(address: String, port: Int)
    }
}

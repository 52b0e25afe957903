/// A client of a server, as far as the server shares something among its clients: connections, memory for bodies,
/// threads for queries, and connections to the source.
package enum ServingClient: Hashable, Sendable {
    /// Everything else that uses a Unix domain socket, which only its owner may open.
    case owner
    /// A client with a token of its own, over TCP or a Unix domain socket.
    case named(String)
    /// Everything over TCP that presents the server's token.
    case tokenBearer
    /// Everything else from an IP address.
    case address(String)

    /// The client whose request the current task answers; nil for the work of the process itself.
    @TaskLocal package static var current: ServingClient?

    /// The client that the work of the current task counts for; the owner for the work of the process itself.
    package static var counted: ServingClient { current ?? .owner }
}

extension ServerRequest {
    /// The client that the request counts for.
    package var client: ServingClient {
        if let clientName { return .named(clientName) }
        return isTrusted ? connection.client.trusted : connection.client
    }
}

extension ServerRequest.Connection {
    /// The client that the connection counts for while no token is known.
    package var client: ServingClient {
        switch remote {
        case .unix: .owner
        case .tcp(let address, _): .address(address)
        }
    }
}

extension ServingClient {
    fileprivate var trusted: ServingClient { self == .owner ? .owner : .tokenBearer }
}

/// Something limited that the clients of a server share, such as connections or memory.
///
/// A part is kept for the owner's socket, so that no client over TCP, and no number of them, can take all of it.
package struct ClientShares: Sendable {
    private let whole: Int
    /// What all clients over TCP may take together: seven eighths, and at least 1.
    private let ofTCP: Int
    /// What one client over TCP may take: three quarters, and at least 1.
    private let ofClient: Int
    private var taken: [ServingClient: Int] = [:]
    private var takenOverTCP = 0
    private var takenInAll = 0

    /// Divides `whole`.
    package init(of whole: Int) {
        self.whole = whole
        ofTCP = max(1, whole - (whole + 7) / 8)
        ofClient = max(1, whole - (whole + 3) / 4)
    }

    /// Whether a client may take `count` more.
    package func allows(_ count: Int, for client: ServingClient) -> Bool {
        guard takenInAll + count <= whole else { return false }
        if client == .owner { return true }
        return takenOverTCP + count <= ofTCP && (taken[client] ?? 0) + count <= ofClient
    }

    /// Takes `count` for a client; returns false, without an effect, if that is more than it may take.
    package mutating func take(_ count: Int, for client: ServingClient) -> Bool {
        guard allows(count, for: client) else { return false }
        add(count, client)
        return true
    }

    /// Returns what a client has taken.
    package mutating func release(_ count: Int, from client: ServingClient) { add(-count, client) }

    private mutating func add(_ count: Int, _ client: ServingClient) {
        takenInAll += count
        if client == .owner { return }
        takenOverTCP += count
        let own = (taken[client] ?? 0) + count
        taken[client] = own == 0 ? nil : own
    }
}

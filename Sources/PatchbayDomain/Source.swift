public import PatchbayCore

/// A source that was opened: the feeds that it can serve, by what they are about.
///
/// A feed that a source does not have is nil; a use case that needs it says so.
public struct Source: Sendable {
    /// What messages call it: `api.github.com (recording users.har)`.
    public var name: String
    public var users: (any UserSource)?
    /// Gives back what the source holds open: connections, threads. Nil when it holds nothing.
    public var close: (@Sendable () async throws -> Void)?

    public init(name: String, users: (any UserSource)? = nil) {
        self.name = name
        self.users = users
    }
}

/// A source whose options were read: what it still needs is a network, unless it needs none.
public struct ConfiguredSource: Sendable {
    /// Opens the source; `networking` is called only by one that asks a network.
    public let open:
        @Sendable (_ networking: @Sendable () async throws -> any Networking) async throws -> Source

    public init(
        open:
            @escaping @Sendable (
                _ networking: @Sendable () async throws -> any Networking
            ) async throws -> Source
    ) {
        self.open = open
    }
}

/// An API that Patchbay understands, whatever brings its answers: the network or a recording.
public struct SourceAPI: Sendable {
    public let name: String
    /// Whether a host speaks this API.
    public let isSpoken: @Sendable (_ host: String) -> Bool
    public let open: @Sendable (_ networking: any Networking, _ baseURL: String) -> Source

    public init(
        name: String, isSpoken: @escaping @Sendable (_ host: String) -> Bool,
        open: @escaping @Sendable (_ networking: any Networking, _ baseURL: String) -> Source
    ) {
        self.name = name
        self.isSpoken = isSpoken
        self.open = open
    }
}

public import PatchbayCore

/// A source that was opened: the feeds that it can serve, by what they are about.
///
/// A feed that a source does not have is nil; a use case that needs it says so.
public struct Source: Sendable {
    /// What messages call it: `api.github.com (recording users.har)`.
    public let name: String
    public let users: (any UserSource)?

    public init(name: String, users: (any UserSource)? = nil) {
        self.name = name
        self.users = users
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

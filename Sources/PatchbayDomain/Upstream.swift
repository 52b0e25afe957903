public import PatchbayCore

/// A source's server, for requests that others make: what a proxy sends through.
///
/// Redirects and answers that report a failure come back as they are. Budgets are those of the source; a request that
/// a limit forbids is not sent, and does not wait.
public struct Upstream: Sendable {
    /// The address that all paths are below, without a slash at its end.
    public let baseURL: String
    /// The beginning of paths that stands for the base, where clients of a self-hosted server write one:
    /// `/api/v3` of GitHub.
    public var pathAlias: String?
    /// Sends a request as it is.
    public let networking: any Networking
    /// Adds the source's credentials to a request that has none; nil for a source without any.
    public var lending: (any Networking)?
    /// Distinguishes the source's credentials from others without revealing them; nil without any.
    public var lender: String?

    public init(baseURL: String, networking: any Networking) {
        self.baseURL = baseURL
        self.networking = networking
    }
}

package import PatchbayCore

/// A source's server, for requests that others make, such as those that a proxy forwards.
///
/// Redirects and error answers are returned as they are. Budgets are those of the source. A request that a limit
/// forbids fails without waiting.
package struct Upstream: Sendable {
    /// The address above all paths, without a slash at its end.
    package let baseURL: String
    /// The beginning of paths that stands for the base, because clients of a self-hosted server write one: `/api/v3`
    /// for GitHub.
    package var pathAlias: String?
    /// Sends a request unchanged.
    package let networking: any Networking
    /// Adds the source's credentials to a request without any; nil for a source without credentials.
    package var lending: (any Networking)?
    /// Distinguishes the source's credentials of this moment from others without revealing them; nil without
    /// credentials.
    package var lender: @Sendable () -> String? = { nil }
    /// Whether the definition marks the body of an answer below 400 as an error; false if it is not JSON.
    package var marksError: @Sendable ([UInt8]) -> Bool = { _ in false }
    /// How the API's clients send their credentials.
    package var authorization = Definition.Authorization.bearer

    /// Creates a server that lends no credentials.
    package init(baseURL: String, networking: any Networking) {
        self.baseURL = baseURL
        self.networking = networking
    }
}

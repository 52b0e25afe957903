package import HTTPTypes
package import PatchbayCore

/// Removes the secrets of requests from every answer, so that no layer above can print, log, record or store them.
///
/// The layer is next to the network. It searches names and values of header fields, the reason phrase and the body, and
/// replaces secrets by `REDACTED`. An answer without secrets is passed on unchanged.
package struct Redaction: NetworkingLayer {
    private let secrets: KnownSecrets
    /// Learns the credentials of requests; nil when answers may contain them.
    private let learning: KnownSecrets?

    /// - Parameter secrets: the secrets known so far; credentials of requests are added.
    package init(_ secrets: KnownSecrets) {
        self.secrets = secrets
        learning = secrets
    }

    /// Creates a layer for forwarded requests. Clients may receive the credentials they sent, so only configured
    /// secrets are removed.
    ///
    /// - Parameter secrets: only the configured ones are used.
    package init(configuredIn secrets: KnownSecrets) {
        self.secrets = secrets.configuredOnly
        learning = nil
    }

    /// Passes the request on, and returns the answer without secrets. Errors are passed on unchanged.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        learning?.learn(from: request)
        let response = try await next.send(request, body: body)
        return secrets.filter.withoutKnownSecrets(response)
    }
}

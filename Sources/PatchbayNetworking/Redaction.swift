public import HTTPTypes
public import PatchbayCore

/// Takes the secrets that requests carry out of every answer, so that nothing above can print, log, record or store
/// them.
///
/// It is the layer nearest the network. Names and values of header fields, the reason phrase and the body are searched;
/// `REDACTED` replaces what is found. An answer that holds no secret is passed on as it is.
public struct Redaction: NetworkingLayer {
    private let secrets: KnownSecrets
    /// Where credentials of requests are added; nil when answers may hold them.
    private let learning: KnownSecrets?

    /// - Parameter secrets: what is known already; credentials of requests are added.
    public init(_ secrets: KnownSecrets) {
        self.secrets = secrets
        learning = secrets
    }

    /// A layer for requests of others, who get back what they have sent: only what a configuration names is taken out.
    ///
    /// - Parameter secrets: what is configured among them counts.
    public init(configuredIn secrets: KnownSecrets) {
        self.secrets = secrets.configuredOnly
        learning = nil
    }

    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        learning?.learn(from: request)
        let response = try await next.send(request, body: body)
        return secrets.filter.withoutKnownSecrets(response)
    }
}

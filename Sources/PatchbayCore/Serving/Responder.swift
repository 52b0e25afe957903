/// Answers requests: the API, the proxy, or a check before them.
///
/// Failures are reported as answers.
public protocol Responder: Sendable {
    /// Returns the answer to a request. It is called concurrently for requests of different connections.
    func respond(to request: ServerRequest) async -> ServerResponse
}

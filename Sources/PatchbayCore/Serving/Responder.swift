/// Answers requests: the API, the proxy, or a check before them.
///
/// Failures are reported as answers.
public protocol Responder: Sendable {
    func respond(to request: ServerRequest) async -> ServerResponse
}

/// Answers requests: the API, the proxy, or a check in front of them.
///
/// What goes wrong is an answer too.
public protocol Responder: Sendable {
    func respond(to request: ServerRequest) async -> ServerResponse
}

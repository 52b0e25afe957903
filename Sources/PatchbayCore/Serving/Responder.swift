/// Answers requests: the API, the proxy, or a check before them.
///
/// Failures are reported as answers.
public protocol Responder: Sendable {
    /// Returns the answer to a request. It is called concurrently for requests of different connections.
    func respond(to request: ServerRequest) async -> ServerResponse

    /// Returns an answer that is in memory; nil, without an effect, when ``respond(to:)`` must be called. By default
    /// nil.
    ///
    /// A server calls it first, on the thread that reads from clients, and saves a task. It must not wait for
    /// anything.
    func readyAnswer(to request: ServerRequest) -> ServerResponse?
}

extension Responder {
    /// Returns nil.
    public func readyAnswer(to request: ServerRequest) -> ServerResponse? { nil }
}

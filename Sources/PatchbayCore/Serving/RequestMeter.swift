/// Counts the requests to sources that the call of a client causes, and refuses those beyond its budget. The layers
/// between a source and the network call it for the call that the current task answers.
package struct RequestMeter: Sendable {
    /// The meter of the current call; nil for the work of the process itself.
    @TaskLocal package static var current: RequestMeter?

    /// Called before a request enters the layers.
    ///
    /// - Throws: `rateLimited` when the budget is used up, with the time from which requests are possible again.
    package let begin: @Sendable () throws -> Void
    /// Called for each request that is sent to a server.
    package let sent: @Sendable () -> Void
    /// Called when a request has left the layers, however it ended.
    package let end: @Sendable () -> Void

    /// Creates a meter of its three functions.
    package init(
        begin: @escaping @Sendable () throws -> Void, sent: @escaping @Sendable () -> Void,
        end: @escaping @Sendable () -> Void
    ) {
        self.begin = begin
        self.sent = sent
        self.end = end
    }
}

/// Answers requests: the API, the proxy, or a check before them.
///
/// Failures are reported as answers.
public protocol Responder: Sendable {
    /// Returns the reply to a request, of which the server has read only the head. A responder that needs the body
    /// replies ``ServerReply/reading(bytesMax:_:)``; any other reply refuses a body unread.
    ///
    /// A server calls it on the threads that read from clients, concurrently for requests of different connections. It
    /// must not wait for anything.
    func reply(to request: ServerRequest) -> ServerReply
}

extension Responder {
    /// Returns the answer to a complete request when it is known.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await reply(to: request).response(to: request.body)
    }
}

/// The answer to a request, or what is needed for it.
public enum ServerReply: Sendable {
    /// An answer in memory, which needs no task.
    case ready(ServerResponse)
    /// The work to do in a task.
    case later(@Sendable () async -> ServerResponse)
    /// The request is accepted, and the function is called with its body.
    ///
    /// - Parameter bytesMax: the maximum size of the body in bytes; nil for the limit of the server.
    indirect case reading(bytesMax: Int?, @Sendable (_ body: [UInt8]) -> ServerReply)

    /// Calls `reply` with the complete request: at once if its head announces no body, otherwise after the body was
    /// read.
    package static func whole(
        _ request: ServerRequest, bytesMax: Int? = nil,
        _ reply: @escaping @Sendable (ServerRequest) -> ServerReply
    ) -> ServerReply {
        guard request.hasBody else { return reply(request) }
        return .reading(bytesMax: bytesMax) { body in
            var request = request
            request.body = body
            return reply(request)
        }
    }

    /// Returns the answer; passes on the body if it is needed, and does the work for the answer, if there is any.
    public func response(to body: [UInt8] = []) async -> ServerResponse {
        switch self {
        case .ready(let response): response
        case .later(let work): await work()
        case .reading(_, let next): await next(body).response(to: body)
        }
    }

    /// Returns a reply whose answer is changed by `change`, which is called when the answer is known.
    package consuming func changed(by change: @escaping @Sendable (inout ServerResponse) -> Void)
        -> ServerReply
    {
        switch consume self {
        case .ready(var response):
            change(&response)
            return .ready(response)
        case .later(let work):
            return .later {
                var response = await work()
                change(&response)
                return response
            }
        case .reading(let bytesMax, let next):
            return .reading(bytesMax: bytesMax) { next($0).changed(by: change) }
        }
    }
}

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

/// Answers requests: the API, the proxy, or a check before them.
///
/// Failures are reported as answers.
public protocol Responder: Sendable {
    /// Returns the reply to a request. A server calls it on the threads that read from clients, concurrently for
    /// requests of different connections. It must not wait for anything.
    func reply(to request: ServerRequest) -> ServerReply
}

extension Responder {
    /// Returns the answer to a request when it is known.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await reply(to: request).response
    }
}

/// The answer to a request, or the work that results in it.
public enum ServerReply: Sendable {
    /// An answer in memory, which needs no task.
    case ready(ServerResponse)
    /// The work to do in a task.
    case later(@Sendable () async -> ServerResponse)

    /// The answer; does the work for it, if there is any.
    public var response: ServerResponse {
        get async {
            switch self {
            case .ready(let response): response
            case .later(let work): await work()
            }
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
        }
    }
}

import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayServer
import PatchbayTestKit
import Synchronization
import Testing

/// A proxy over a scripted server, with a clock that the test moves.
struct ProxyBench {
    static let base = "https://api.example.org"

    let server = ScriptedUpstream()
    let clock = ManualClock(Timestamp("2026-11-23T12:00:00Z")!)
    let store: Store
    let cache: AnswerCache
    let proxy: ProxyResponder

    init(
        base: String = ProxyBench.base, alias: String? = nil,
        lender: (@Sendable () -> String?)? = nil,
        authorization: Definition.Authorization = .bearer, store: Store? = nil,
        options: ProxyOptions = ProxyOptions(),
        unwritten: @escaping @Sendable (any Error) -> Void = { Issue.record($0) }
    ) async throws {
        self.store = try await ProxyBench.store(store)
        cache = try await AnswerCache(
            store: self.store, bytesMax: options.cacheBytesMax, clock: clock.layerClock, report: unwritten)
        var upstream = Upstream(baseURL: base, networking: server)
        upstream.pathAlias = alias
        upstream.authorization = authorization
        if let lender {
            upstream.lender = lender
            upstream.lending = LendingNetwork(inner: server, lender: lender)
        }
        proxy = try ProxyResponder(upstream, cache: cache, options, clock: clock.layerClock)
    }

    private static func store(_ known: Store?) async throws -> Store {
        if let known { return known }
        return try await Store(MemoryStorage(), schema: Schema(version: 1, AnswerCache.collections))
    }

    /// Requests a path with some fields.
    func get(_ path: String = "/users", _ fields: HTTPFields = [:], trusted: Bool = false) async
        -> ServerResponse
    {
        await send(.get, path, fields, trusted: trusted)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String = "/users", _ fields: HTTPFields = [:],
        body: String = "",
        trusted: Bool = false, host: String = "127.0.0.1:8080"
    ) async -> ServerResponse {
        var request = Requests.make(method, path, host: host, fields: fields, body: body)
        request.isTrusted = trusted
        return await proxy.respond(to: request)
    }

    /// The current date in the server's format.
    var date: String { clock.now().httpDate }
}

/// A server with a queue of answers, of which the last is repeated.
final class ScriptedUpstream: Networking {
    private let state = Mutex(State())

    private struct State {
        var answers: [Result<Response, PatchbayError>] = []
        var requests: [HTTPRequest] = []
        var notice: (@Sendable () -> Void)?
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var count: Int { requests.count }
    var last: HTTPRequest? { requests.last }

    /// Replaces the queue of answers.
    func answers(_ answers: Response...) { state.withLock { $0.answers = answers.map { .success($0) } } }

    func fails(_ error: PatchbayError) { state.withLock { $0.answers = [.failure(error)] } }

    /// Calls a closure once during the next request.
    func notices(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.notice = body } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        state.withLock { $0.notice.take() }?()
        try Task.checkCancellation()
        return try state.withLock { state in
            state.requests.append(request)
            guard let first = state.answers.first else {
                return Response(head: HTTPResponse(status: .init(code: 599)), body: [])
            }
            if state.answers.count > 1 { state.answers.removeFirst() }
            return try first.get()
        }
    }
}

/// Adds a source's credentials, as its layers do.
private struct LendingNetwork: Networking {
    let inner: ScriptedUpstream
    let lender: @Sendable () -> String?

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        var request = request
        request.headerFields[.authorization] = "Bearer lent-\(lender() ?? "nothing")"
        return try await inner.send(request, body: body)
    }
}

extension Response {
    /// Returns a typical answer of a server.
    static func answer(
        _ status: Int = 200, _ fields: HTTPFields = [:], _ body: String = "body"
    ) -> Response {
        var fields = fields
        if fields[.contentType] == nil { fields[.contentType] = "text/plain" }
        return Response(
            head: HTTPResponse(status: .init(code: status), headerFields: fields), body: Array(body.utf8))
    }

    /// Returns an answer that is fresh for some seconds.
    static func fresh(_ seconds: Int, _ more: HTTPFields = [:], _ body: String = "body") -> Response {
        var fields = more
        fields[.cacheControl] = "max-age=\(seconds)"
        return answer(200, fields, body)
    }
}

extension PatchbayError {
    static var unreachable: PatchbayError {
        var error = PatchbayError(.offline, "\"api.example.org\" cannot be reached")
        error.isUnreachable = true
        return error
    }
}

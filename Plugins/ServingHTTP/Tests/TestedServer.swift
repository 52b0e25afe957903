#if Live
import HTTPTypes
import PatchbayCore
import Synchronization

@testable import ServingHTTP

/// A server that runs during a test.
struct TestedServer {
    /// The first address of the server.
    let address: String
    let server: HTTPServer
    private let running: Task<Void, any Error>

    static func with<Result>(
        _ responder: any Responder = TestResponder(),
        _ options: ServingOptions = ServingOptions(listen: [.tcp(host: "127.0.0.1", port: 0)]),
        _ body: (TestedServer) async throws -> Result
    ) async throws -> Result {
        let server = try await TestedServer(responder, options)
        do {
            let result = try await body(server)
            try await server.stop()
            return result
        } catch {
            // The first error is the one to report.
            try? await server.stop()
            throw error
        }
    }

    init(_ responder: any Responder, _ options: ServingOptions) async throws {
        let server = HTTPServer(options)
        let (addresses, listening) = AsyncStream.makeStream(of: [String].self)
        running = Task {
            defer { listening.finish() }
            try await server.run(responder) { listening.yield($0) }
        }
        self.server = server
        var first: String?
        for await known in addresses {
            first = known.first
            break
        }
        guard let first else {
            try await running.value
            throw CancellationError()
        }
        address = first
    }

    func stop() async throws {
        await server.stop()
        try await running.value
    }

    func client() throws -> RawClient { try RawClient(address) }

    /// Returns a request for a path, with further header lines.
    func request(_ path: String = "/", _ lines: [String] = ["Connection: close"], method: String = "GET")
        -> String
    {
        (["\(method) \(path) HTTP/1.1", "Host: \(address)"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
    }
}

/// Answers with the request itself, slowly or in pieces depending on the path.
struct TestResponder: Responder {
    var waiting: @Sendable () async -> Void = {}

    func reply(to request: ServerRequest) -> ServerReply {
        let path = request.head.path ?? ""
        if path == "/refused" { return .ready(ServerResponse(head: HTTPResponse(status: .unauthorized))) }
        return .whole(request, bytesMax: path == "/small" ? 10 : nil) { request in
            path.hasPrefix("/ready") ? .ready(Self.echo(request)) : .later { await answer(request) }
        }
    }

    private func answer(_ request: ServerRequest) async -> ServerResponse {
        let path = request.head.path ?? ""
        var fields: HTTPFields = [.contentType: "text/plain"]
        switch path {
        case "/wait":
            await waiting()
            return ServerResponse(
                head: HTTPResponse(status: .ok, headerFields: fields), body: .whole(Array("waited".utf8)))
        case "/stream":
            return ServerResponse(
                head: HTTPResponse(status: .ok, headerFields: fields),
                body: .stream { writer in
                    for piece in ["a", "", "bc"] { try await writer.write(Array(piece.utf8)) }
                })
        case "/events":
            fields[.contentType] = "text/event-stream"
            return ServerResponse(
                head: HTTPResponse(status: .ok, headerFields: fields),
                body: .stream { writer in
                    try await writer.write(Array("data: 1\n\n".utf8))
                    // An hour is endless here; stopping the server cancels it.
                    try await Task.sleep(for: .seconds(3_600))
                })
        case "/cut":
            return ServerResponse(
                head: HTTPResponse(status: .ok),
                body: .stream { writer in
                    try await writer.write(Array("half".utf8))
                    throw CancellationError()
                })
        case "/large":
            return ServerResponse(
                head: HTTPResponse(status: .ok), body: .whole([UInt8](repeating: 0x78, count: 8 << 20)))
        case "/shared":
            var response = ServerResponse(head: HTTPResponse(status: .ok, headerFields: fields))
            response.shared = [SharedFields([.date: "now"]), SharedFields([.server: "a", .eTag: "b"])]
            return response
        case "/204": return ServerResponse(head: HTTPResponse(status: .noContent))
        default: return Self.echo(request)
        }
    }

    private static func echo(_ request: ServerRequest) -> ServerResponse {
        let head = request.head
        let text = "\(head.method) \(head.path ?? "") \(head.authority ?? "-") \(request.body.count)"
        return ServerResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]),
            body: .whole(Array(text.utf8)))
    }
}
#endif

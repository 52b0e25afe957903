#if Live
import HTTPTypes
import NetworkingLive
import PatchbayCore
import TestServer
import Testing

extension LiveNetworking {
    /// Asks a server on this machine.
    func get(
        _ path: String, port: Int, method: HTTPRequest.Method = .get, scheme: String = "http",
        host: String = "127.0.0.1", fields: HTTPFields = [:]
    ) async throws -> Response {
        let request = HTTPRequest(
            method: method, scheme: scheme, authority: "\(host):\(port)", path: path, headerFields: fields)
        return try await send(request, body: [])
    }
}

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Asks a new server that does `steps`, once, with a limit of 1 MiB and short times, and closes.
func ask(
    _ steps: [ScriptedServer.Step], method: HTTPRequest.Method = .get,
    change: (inout LiveOptions) -> Void = { _ in }
) async throws -> Response {
    let server = try await ScriptedServer(["/": steps])
    var options = LiveOptions()
    options.bodyMiBMax = 1
    // Only what a test sets to less may end an exchange: a busy machine is slow.
    options.connectTimeoutSeconds = 600
    options.idleTimeoutSeconds = 600
    options.timeoutSeconds = 600
    change(&options)
    let network = try LiveNetworking(options)
    let response: Response
    do {
        response = try await network.get("/", port: server.port, method: method)
    } catch {
        try await network.close()
        throw error
    }
    try await network.close()
    return response
}

/// Expects that asking a server that does `steps` fails with a code, and that the message says why.
func expectFailure(
    _ code: PatchbayError.Code, _ words: String, _ steps: [ScriptedServer.Step],
    change: (inout LiveOptions) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
) async {
    let error = await #expect(throws: PatchbayError.self, sourceLocation: sourceLocation) {
        _ = try await ask(steps, change: change)
    }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")", sourceLocation: sourceLocation)
    #expect(
        error?.message.contains(words) == true, "\(error.map { "\($0)" } ?? "")",
        sourceLocation: sourceLocation)
    #expect(error?.message.contains("127.0.0.1") == true, sourceLocation: sourceLocation)
}
#endif

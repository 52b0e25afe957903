#if Live
import HTTPTypes
import NetworkingLive
import PatchbayCore
import TestServer
import Testing

extension LiveNetworking {
    /// Sends a request to a server on this machine.
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

/// Sends one request to a new server that performs `steps`, with a limit of 1 MiB, and closes the network.
func ask(
    _ steps: [ScriptedServer.Step], method: HTTPRequest.Method = .get,
    change: (inout LiveOptions) -> Void = { _ in }
) async throws -> Response {
    let server = try await ScriptedServer(["/": steps])
    var options = LiveOptions()
    options.bodyMiBMax = 1
    // Long by default, because a busy machine is slow; tests set shorter times where needed.
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

/// Expects a request to a server that performs `steps` to fail with a code and with words in the message.
@discardableResult
func expectFailure(
    _ code: PatchbayError.Code, _ words: String, _ steps: [ScriptedServer.Step],
    change: (inout LiveOptions) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
) async -> PatchbayError? {
    let error = await #expect(throws: PatchbayError.self, sourceLocation: sourceLocation) {
        _ = try await ask(steps, change: change)
    }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")", sourceLocation: sourceLocation)
    #expect(
        error?.message.contains(words) == true, "\(error.map { "\($0)" } ?? "")",
        sourceLocation: sourceLocation)
    #expect(error?.message.contains("127.0.0.1") == true, sourceLocation: sourceLocation)
    return error
}
#endif

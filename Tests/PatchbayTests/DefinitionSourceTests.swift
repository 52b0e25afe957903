import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Synchronization
import Testing

/// A network scripted by a test, which records requests.
private final class ScriptedNetwork: Networking {
    private let answer: @Sendable (HTTPRequest, _ number: Int) -> (Int, [String: String], String)
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ answer: @escaping @Sendable (HTTPRequest, Int) -> (Int, [String: String], String)) {
        self.answer = answer
    }

    var sent: [HTTPRequest] { requests.withLock { $0 } }
    var paths: [String] { sent.map { $0.path ?? "" } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let number = requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        let (status, fields, body) = answer(request, number)
        var head = HTTPResponse(status: .init(code: status))
        for (name, value) in fields { head.headerFields[HTTPField.Name(name)!] = value }
        return Response(head: head, body: Array(body.utf8))
    }
}

@Suite("A source described by a definition, through all layers")
struct DefinitionSourceTests {
    private static let rows = """
        api = x
        base-url = https://api.example.org/v1
        rows.path = /rows
        rows.key = id
        rows.field.id = integer

        """

    /// The last answer for a list of up to ten rows.
    private func list(
        _ lines: String, _ network: ScriptedNetwork, _ values: [String: String] = [:]
    ) async throws -> Answer<ItemList>? {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/x.conf"
        try Data((Self.rows + lines).utf8).write(to: URL(fileURLWithPath: path))
        let networking = Plugin<any Networking>("scripted", "answers of a test") { _ in network }
        let plugins = PluginSet(storages: [.memory], sources: [.rest], networkings: [networking])
        let flags = values.merging(["source.definition": path]) { $1 }
            .map { GatewayConfiguration.Flag($0.key, $0.value, name: "test") }
        let configuration = try GatewayConfiguration(
            plugins: plugins, flags: flags, environment: ["HOME": folder.path, "TOKEN": "ada:s3cret"])
        let gateway = try await Gateway(configuration: configuration)
        var last: Answer<ItemList>?
        for await answer in try gateway.list("rows", limit: 10) { last = answer }
        try await gateway.close()
        return last
    }

    private func error(_ answer: Answer<ItemList>?) -> PatchbayError? {
        if case .failed(let error)? = answer?.outcome { error } else { nil }
    }

    @Test(
        "a token is sent as the definition states",
        arguments: [
            ("auth = bearer", "Authorization", "Bearer ada:s3cret"),
            ("auth = basic", "Authorization", "Basic YWRhOnMzY3JldA=="),
            ("auth = header PRIVATE-TOKEN", "PRIVATE-TOKEN", "ada:s3cret"),
            ("auth = header Authorization Token", "Authorization", "Token ada:s3cret"),
            ("auth = query api_key", nil, "/v1/rows?api_key=ada%3As3cret"), ("auth = none", nil, "/v1/rows"),
            ("", nil, "/v1/rows"),
        ] as [(String, String?, String)])
    func tokens(_ line: String, _ header: String?, _ expected: String) async throws {
        let network = ScriptedNetwork { _, _ in (200, [:], #"[{"id": 1}]"#) }
        let answer = try await list(line, network, ["source.token": "env:TOKEN"])
        #expect(answer?.value?.items.count == 1)
        let request = try #require(network.sent.first)
        #expect(network.sent.count == 1)
        guard let header else {
            #expect(request.path == expected && request.headerFields[.authorization] == nil)
            return
        }
        #expect(request.headerFields[HTTPField.Name(header)!] == expected && request.path == "/v1/rows")
    }

    @Test("a void cursor starts the list again, without missing or duplicate rows")
    func restart() async throws {
        let lines = """
            error.text = error
            error.restart = void
            rows.rows = data
            rows.next = cursor c next
            """
        let network = ScriptedNetwork { request, number in
            switch (request.path, number) {
            case ("/v1/rows", 0): (200, [:], #"{"data": [{"id": 1}], "next": "a"}"#)
            case ("/v1/rows?c=a", 1): (400, [:], #"{"error": "void"}"#)
            case ("/v1/rows", 2): (200, [:], #"{"data": [{"id": 1}, {"id": 2}], "next": "b"}"#)
            case ("/v1/rows?c=b", 3): (200, [:], #"{"data": [{"id": 3}]}"#)
            default: (500, [:], "")
            }
        }
        let answer = try await list(lines, network)
        #expect(answer?.value?.items.map(\.keyText) == ["1", "2", "3"])
        #expect(network.paths == ["/v1/rows", "/v1/rows?c=a", "/v1/rows", "/v1/rows?c=b"])
    }

    @Test("a cycle of pages of any length is an error")
    func circle() async throws {
        let network = ScriptedNetwork { request, _ in
            (200, [:], #"{"data": [{"id": 1}], "next": "\#(request.path == "/v1/rows?c=a" ? "b" : "a")"}"#)
        }
        let answer = try await list("rows.rows = data\nrows.next = cursor c next", network)
        #expect(error(answer)?.code == .invalidResponse)
        #expect(network.sent.count <= 4)
    }

    @Test(
        "the pace of an API and of a resource is kept",
        arguments: ["rate = 1/minute", "rows.rate = 1/minute"])
    func pace(_ line: String) async throws {
        let network = ScriptedNetwork { request, _ in (200, [:], #"[{"id": 1}]"#) }
        let answer = try await list(
            line + "\nrows.next = page p", network, ["source.wait-at-most-seconds": "0"])
        #expect(error(answer)?.code == .rateLimited && network.sent.count == 1)
    }

    @Test(
        "a limit is respected under any header name and in any notation of the time",
        arguments: [
            ["Retry-After": "90"], ["RateLimit-Reset": "90"], ["x-rate-limit-reset": "90"],
            ["X-RateLimit-Requests-Remaining": "0", "X-RateLimit-Requests-Reset": "1790846390"],
            ["X-RateLimit-Reset": "2026-10-01T09:19:50.000Z", "X-RateLimit-Remaining": "0"],
        ])
    func limits(_ fields: [String: String]) async throws {
        let date = ["Date": "Thu, 01 Oct 2026 09:18:20 GMT"]
        let network = ScriptedNetwork { _, _ in (429, fields.merging(date) { $1 }, "") }
        let answer = try await list("", network, ["source.wait-at-most-seconds": "0"])
        let message = error(answer)?.message ?? ""
        #expect(message.contains("try again in 1 min 3"), "\(message)")
        #expect(network.sent.count == 1)
    }
}

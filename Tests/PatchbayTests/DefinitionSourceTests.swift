import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Testing

private func scripted(
    _ answer: @escaping @Sendable (HTTPRequest, _ number: Int) -> (Int, [String: String], String)
) -> ScriptedNetworking {
    ScriptedNetworking { request, _, number in
        let (status, fields, body) = answer(request, number)
        return Response(status, fields.map { ($0, $1) }, body)
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

    private func gateway(
        _ lines: String, _ network: ScriptedNetworking, _ values: [String: String] = [:]
    ) async throws -> Gateway {
        try await Gateway.scripted(
            Self.rows + lines, over: network, values,
            environment: ["TOKEN": "ada:s3cret", "OTHER": "ada:n3w"])
    }

    @Test("a new token is another account, unless its account is named")
    func account() async throws {
        func identity(_ token: String, _ account: String?) async throws -> String {
            var values = ["source.token": "env:\(token)"]
            values["source.account"] = account
            let gateway = try await gateway("auth = bearer\n", ScriptedNetworking(200, [], "[]"), values)
            let identity = gateway.source.identity
            try await gateway.close()
            return identity
        }
        let first = try await identity("TOKEN", nil)
        #expect(try await identity("TOKEN", nil) == first)
        #expect(try await identity("OTHER", nil) != first)
        let named = try await identity("TOKEN", "ada")
        #expect(try await identity("OTHER", "ada") == named && named != first)
        #expect(try await identity("TOKEN", "bob") != named)
    }

    @Test("the error for a missing definition names the values that it may have")
    func missing() async throws {
        let plugins = PluginSet(storages: [.memory], sources: [.rest])
        let error = await #expect(throws: PatchbayError.self) {
            let configuration = try GatewayConfiguration(plugins: plugins, environment: ["HOME": "/"])
            try await Gateway(configuration: configuration).close()
        }
        let words = "source.definition is required; set it to a file, or the name of a bundled one (github, "
        #expect(error?.message.hasPrefix(words) == true, "\(String(describing: error))")
    }

    @Test(
        "a bundled definition takes the values of its settings",
        arguments: [["source": "okta"], ["source": "rest", "source.definition": "okta"]])
    func bundledSettings(_ choice: [String: String]) async throws {
        let network = ScriptedNetworking(200, [], #"[{"id": "1", "profile": {"name": "all"}}]"#)
        let gateway = try await Gateway.scripted(
            over: network, choice.merging(["source.settings": "domain=acme"]) { $1 })
        for await answer in try gateway.list("groups", limit: 10) { #expect(error(answer) == nil) }
        try await gateway.close()
        #expect(network.sent.first?.authority == "acme.okta.com")
        for (values, words) in [
            ("", "domain is not set (the first word of your Okta address)"),
            ("domain=a.b", "domain is a part of the server's name"), ("domian=a", "no setting \"domian\""),
        ] {
            let given = values.isEmpty ? choice : choice.merging(["source.settings": values]) { $1 }
            let fault = await #expect(throws: PatchbayError.self) {
                try await Gateway.scripted(over: network, given).close()
            }
            #expect(fault?.message.contains(words) == true, "\(String(describing: fault))")
        }
    }

    /// The last answer for a list of up to ten rows.
    private func list(
        _ lines: String, _ network: ScriptedNetworking, _ values: [String: String] = [:]
    ) async throws -> Answer<ItemList>? {
        let gateway = try await gateway(lines, network, values)
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
        let network = scripted { _, _ in (200, [:], #"[{"id": 1}]"#) }
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

    /// Lists the rows while recording, then from the recording alone; returns the text of the recording.
    private func recordAndReplay(
        _ lines: String, _ network: ScriptedNetworking, expecting ids: [String]
    ) async throws -> String {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/x.har"
        let values = ["source.token": "env:TOKEN", "source.record": path]
        #expect(try await list(lines, network, values)?.value?.items.map(\.keyText) == ids)
        let silent = scripted { _, _ in (500, [:], "") }
        let replayed = try await list(
            lines, silent, values.merging(["source.record-mode": "record-missing"]) { $1 })
        #expect(replayed?.value?.items.map(\.keyText) == ids)
        #expect(silent.paths == [])
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test(
        "a token is not recorded, whatever its name and even if the server repeats it in a link",
        arguments: [
            ("auth = query key", "/v1/rows?key=ada%3As3cret", "/v1/rows?page=2&key=ada%3As3cret"),
            ("auth = header X-Foo", "/v1/rows", "/v1/rows?key=REDACTED&page=2"),
            ("auth = header X-Foo Key", "/v1/rows", "/v1/rows?key=REDACTED&page=2"),
        ])
    func recordedToken(_ line: String, _ first: String, _ second: String) async throws {
        let network = scripted { _, number in
            let next = "https://api.example.org/v1/rows?key=ada%3As3cret&page=2"
            let fields = number == 0 ? ["Link": "<\(next)>; rel=\"next\""] : [:]
            return (200, fields, #"[{"id": \#(number + 1), "you": "ada:s3cret"}]"#)
        }
        let recording = try await recordAndReplay(line, network, expecting: ["1", "2"])
        #expect(network.paths == [first, second])
        #expect(!recording.contains("s3cret") && recording.contains("REDACTED"))
    }

    @Test("a list whose cursors are web tokens is recorded without them and replayed")
    func recordedCursors() async throws {
        @Sendable func cursor(_ number: Int) -> String {
            "eyJhbGciOiJIUzI1NiJ9.eyJwIjo\(number)fQ.c2lnbmF0dXJlc2lnbmF0dXJl"
        }
        let network = scripted { _, number in
            let next = number < 2 ? "\"\(cursor(number))\"" : "null"
            return (200, [:], #"{"data": [{"id": \#(number + 1)}], "next": \#(next)}"#)
        }
        let lines = "rows.rows = data\nrows.next = cursor c next"
        let recording = try await recordAndReplay(lines, network, expecting: ["1", "2", "3"])
        #expect(network.paths == ["/v1/rows", "/v1/rows?c=\(cursor(0))", "/v1/rows?c=\(cursor(1))"])
        #expect(!recording.contains("eyJ"))
    }

    @Test("a list whose cursors have several members is recorded and replayed, in a form and in a JSON body")
    func recordedMembers() async throws {
        for send in ["query", "form", "json"] {
            let network = scripted { _, number in
                let next = number < 2 ? #"{"from": "\#(number) b", "id_token": "s3cret\#(number)"}"# : "null"
                return (200, [:], #"{"data": [{"id": \#(number + 1)}], "next": \#(next)}"#)
            }
            let lines = "rows.rows = data\nrows.send = \(send)\nrows.next = cursor * next"
            let recording = try await recordAndReplay(lines, network, expecting: ["1", "2", "3"])
            #expect(!recording.contains("s3cret"))
        }
    }

    @Test("a void cursor starts the list again, without missing or duplicate rows")
    func restart() async throws {
        let lines = """
            error.text = error
            error.restart = void
            rows.rows = data
            rows.next = cursor c next
            """
        let network = scripted { request, number in
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

    @Test(
        "a cycle of pages of any length is an error",
        arguments: ["cursor c next", "cursor * on", "last c at"])
    func circle(_ next: String) async throws {
        let network = scripted { _, number in
            let at = number % 2 == 0 ? "a" : "b"
            return (
                200, [:],
                #"{"data": [{"id": \#(number), "at": "\#(at)"}], "next": "\#(at)", "on": {"c": "\#(at)", "d": 1}}"#
            )
        }
        let lines = "rows.rows = data\nrows.field.at = text\nrows.next = \(next)"
        let answer = try await list(lines, network)
        #expect(error(answer)?.code == .invalidResponse)
        #expect(network.sent.count <= 4)
    }

    @Test("a sync that was interrupted continues with all members of the stored cursor")
    func resumed() async throws {
        let network = scripted { _, number in
            let next = number < 2 ? #"{"a": "\#(number) b", "c\#(number)": \#(number)}"# : "null"
            return (200, [:], #"{"data": [{"id": \#(number)}], "next": \#(next)}"#)
        }
        let gateway = try await gateway("rows.rows = data\nrows.next = cursor * next", network)
        for _ in 0..<2 {
            for try await _ in try gateway.sync("rows", maximumRequests: 2) {}
        }
        try await gateway.close()
        #expect(network.paths.prefix(2) == ["/v1/rows", "/v1/rows?a=0%20b&c0=0"])
        #expect(network.paths.dropFirst(2).first == "/v1/rows?a=0%20b&c0=0")
    }

    @Test(
        "the error of an import has the place of the row as values",
        arguments: [
            (#"{"id": 1}"# + "\n" + #"{"id": "x"}"#, 2, nil), (#"[{"id": 1}, {"id": "x"}]"#, nil, 12),
        ] as [(String, Int?, Int?)])
    func importedPlace(_ text: String, _ line: Int?, _ byte: Int?) async throws {
        let gateway = try await gateway("", scripted { _, _ in (500, [:], "") })
        let rows = try gateway.resource("rows")
        var bytes = Array(text.utf8)
        let error = await #expect(throws: PatchbayError.self) {
            try await gateway.importItems(rows, name: "rows.json") { _ in
                defer { bytes = [] }
                return bytes
            }
        }
        #expect(error?.file == "rows.json" && error?.line == line && error?.byte == byte)
        #expect(error?.field == "id" && error?.rowsImported == 1)
        #expect(error?.summary.contains("file:") == false && error?.summary.contains("at:") == false)
        try await gateway.close()
    }

    @Test(
        "an import distinguishes rows from answers, and refuses what may be both or neither",
        arguments: [
            (#"{"id": 1, "data": "x"} {"id": 2, "data": null} {"id": 3}"#, [1, 2, 3], nil),
            (#"{"data": {"items": [{"id": 4}, {"id": 5}]}} {"data": {"items": null}}"#, [4, 5], nil),
            (#"{"id": 6}"# + "\n" + #"{"id": 7, "data": {"items": [{}]}}"#, [6], "2: this may be a row"),
            (#"{"id": 6, "data": {"color": "red"}}"#, [6], nil),
            (
                #"{"id": 1, "data": {"items": [{"id": 4, "name": "a", "kind": "b"}, {"id": 5}]}}"#, [4, 5],
                nil
            ),
            (#"{"id": 1, "name": "b", "data": {"items": [{"id": 4}]}}"#, [], "1: this may be a row"),
            (#"{"id": 1, "data": {"items": [{"name": "a", "kind": "b", "size": "c"}]}}"#, [], "may be a row"),
            (#"{"data": {"elements": [{"id": 8}]}}"#, [], "1: this is neither a row"),
            (#"{"data": null, "errors": [{"message": "slow down"}]}"#, [], "error of the API: \"slow down\""),
            (#"{"data": {"items": [{"id": 8}]}, "errors": [{"message": "a"}]}"#, [], "error of the API"),
            ("", [], "the file is empty"), (" \n", [], "the file is empty"), ("[]", [], nil),
        ] as [(String, [Int64], String?)])
    func importedShapes(_ text: String, _ ids: [Int64], _ problem: String?) async throws {
        let lines = """
            rows.rows = data/items
            rows.field.data = json
            rows.field.name = text
            rows.field.kind = text
            rows.field.size = text
            error = errors
            error.text = errors/0/message
            """
        let gateway = try await gateway(lines, scripted { _, _ in (500, [:], "") })
        let rows = try gateway.resource("rows")
        let error = await fault { try await importing(text, to: rows, in: gateway) }
        #expect(problem == nil ? error == nil : error?.message.contains(problem!) == true, "\(error as Any)")
        #expect(error == nil || error?.code == .invalidValue && error?.file == "rows.json")
        let stored = try await gateway.store.read { reading in
            var stored: [Int64] = []
            try reading.scan(Query(rows.collection)) { row in
                stored.append(row.integer(rows.key[0].position))
                return .next
            }
            return stored
        }
        #expect(stored == ids)
        try await gateway.close()
    }

    private func importing(_ text: String, to resource: Resource, in gateway: Gateway) async throws {
        var bytes = Array(text.utf8)
        _ = try await gateway.importItems(resource, name: "rows.json") { _ in
            defer { bytes = [] }
            return bytes
        }
    }

    @Test(
        "the pace of an API and of a resource is kept",
        arguments: ["rate = 1/minute", "rows.rate = 1/minute"])
    func pace(_ line: String) async throws {
        let network = scripted { request, _ in (200, [:], #"[{"id": 1}]"#) }
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
        let network = scripted { _, _ in (429, fields.merging(date) { $1 }, "") }
        let answer = try await list("", network, ["source.wait-at-most-seconds": "0"])
        let message = error(answer)?.message ?? ""
        #expect(message.contains("try again in 1 min 3"), "\(message)")
        #expect(network.sent.count == 1)
    }
}

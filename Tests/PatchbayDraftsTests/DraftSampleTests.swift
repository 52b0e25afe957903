import HTTPTypes
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayDrafts
import PatchbayTestKit
import Testing

@Suite("Samples of drafts from addresses")
struct DraftSampleTests {
    /// Answers every request with one row, or another body, and a link to a next page.
    private func server(_ status: Int = 200, _ text: String = #"[{"id":1}]"#) -> ScriptedNetworking {
        ScriptedNetworking(status, [("Link", "<https://a.example/rows?page=2>; rel=\"next\"")], text)
    }

    private func configuration(_ server: ScriptedNetworking) throws -> GatewayConfiguration {
        var definition = Definition(api: "mine", resources: [])
        definition.authorization = .bearer
        let api = SourceAPI(
            name: "mine", definition: { [definition] in definition },
            open: { _, baseURL, _ in Source(name: baseURL) })
        let plugins = PluginSet(
            storages: [.memory], sources: [.network(api)],
            networkings: [Plugin("server", "A server.") { _ in server }])
        return try GatewayConfiguration(
            plugins: plugins, ["source.base-url": "https://a.example/v1", "source.token": "env:HOME"])
    }

    @Test("a token is sent only to the server of source.base-url, in the requested way")
    func tokens() async throws {
        let server = server()
        let authorization = Definition.Authorization.header(name: "X-Key", prefix: nil)
        let own = try await configuration(server).samples(
            at: "https://a.example/rows", authorization: authorization)
        #expect(own.count == 1 && own[0].next == "https://a.example/rows?page=2")
        #expect(own[0].authorization == authorization)
        let other = try await configuration(server).samples(
            at: "https://b.example/rows", authorization: authorization)
        #expect(other[0].authorization == nil)
        let keys = server.sent.map { $0.headerFields[HTTPField.Name("X-Key")!] != nil }
        #expect(keys == [true, false])
    }

    @Test("the Link header of a document is not that of its lists")
    func document() async throws {
        let document = #"""
            {"openapi":"3.1.0","paths":{"/rows":{"get":{"responses":{"200":{"content":{"application/json":
              {"schema":{"type":"array","items":{"properties":{"id":{"type":"integer"}}}}}}}}}}}}
            """#
        let samples = try await configuration(server(200, document)).samples(
            at: "https://a.example/api.json")
        #expect(samples.count == 1 && samples[0].isDescribed && samples[0].next == nil)
    }

    @Test("an error status, and an invalid address, are refused")
    func refusals() async throws {
        let missing = await #expect(throws: PatchbayError.self) {
            try await configuration(server(404)).samples(at: "https://a.example/rows?api_key=abc")
        }
        #expect(missing?.code == .notFound && missing?.message.contains("404") == true)
        #expect(missing?.message.contains("abc") == false)
        let address = await #expect(throws: PatchbayError.self) {
            try await configuration(server()).samples(at: "ftp://a.example/rows")
        }
        #expect(address?.code == .invalidValue)
    }
}

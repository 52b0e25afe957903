import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Testing

@Suite("The format of a recording")
struct RecordingFormatTests {
    @Test("a recording is HAR 1.2 as the article shows, with the token replaced")
    func recording() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/one.har"
        let clock = ManualClock(jumps: true)
        let recorder = try Recorder(path: path, isAdding: false, clock: clock.layerClock)
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "api.github.com", path: "/users/ada?page=2",
            headerFields: [.authorization: "Bearer github_pat_secret"])
        let head = HTTPResponse(
            status: .ok, headerFields: [.contentType: "application/json", .eTag: "\"1\""])
        let network = ScriptedNetworking(Response(head: head, body: Array(#"{"login":"ada"}"#.utf8)))
        _ = try await network.layered(recorder).send(request, body: [])
        await recorder.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect((try JSONSerialization.jsonObject(with: bytes) as? [String: Any])?["log"] != nil)
        var text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("secret\""))
        text.replace(PatchbayVersion.current, with: "VERSION")
        for member in [
            "entries", "request", "response", "cache", "timings", "headers", "headersSize", "content",
        ] {
            text.replace(",\"\(member)\":", with: ",\n\"\(member)\":")
        }
        text.replace("[{\"startedDateTime", with: "[\n{\"startedDateTime")
        try FileFormats.expect(text.trimmingCharacters(in: .newlines), as: "recording")
    }
}

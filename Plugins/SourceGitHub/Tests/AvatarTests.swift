import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("pictures of GitHub's users")
struct AvatarTests {
    private let address = "https://avatars.githubusercontent.com/u/1?v=4"

    private func avatar(
        _ networking: ScriptedNetworking, _ url: String, base: String = "https://api.github.com"
    ) async throws -> Picture? {
        let source = try #require(SourceAPI.github.open(networking, base).pictures)
        return try await source.picture(at: url, ifChangedFrom: Validator()).value
    }

    @Test("a picture is returned unchanged, with its type")
    func picture() async throws {
        let networking = ScriptedNetworking(200, [("Content-Type", "image/PNG; x=y")], "\u{89}PNG")
        let avatar = try await avatar(networking, address)
        #expect(avatar == Picture(bytes: Array("\u{89}PNG".utf8), mediaType: "image/png"))
        #expect(networking.request?.headerFields[.accept] == "image/*")
        #expect(networking.request?.authority == "avatars.githubusercontent.com")
    }

    @Test("a large picture or another type is refused")
    func refused() async {
        let page = ScriptedNetworking(200, [("Content-Type", "text/html")], "<html>")
        #expect(await fault { try await avatar(page, address) }?.code == .invalidResponse)
        let body = String(repeating: "x", count: (1 << 20) + 1)
        let large = ScriptedNetworking(200, [("Content-Type", "image/png")], body)
        #expect(
            await fault { try await avatar(large, address) }?.message.hasSuffix(
                "the picture has 1048577 bytes; the limit is 1048576") == true)
    }

    @Test(
        "a few redirects to the server's own hosts are followed",
        arguments: [
            ("https://avatars2.githubusercontent.com/u/1", true), ("https://evil.example.org/u/1", false),
            ("http://avatars2.githubusercontent.com/u/1", false),
            ("https://avatars.githubusercontent.com/u/1?v=4", false),
        ])
    func redirects(_ location: String, _ isFollowed: Bool) async throws {
        let networking = ScriptedNetworking { request, _, _ in
            var head = HTTPResponse(status: .init(code: 200), headerFields: [.contentType: "image/png"])
            if request.authority == "avatars.githubusercontent.com" {
                head = HTTPResponse(status: .init(code: 302), headerFields: [.location: location])
            }
            return Response(head: head, body: [1])
        }
        var picture: Picture?
        let error = await fault { picture = try await avatar(networking, address) }
        #expect((picture?.bytes == [1]) == isFollowed)
        #expect(error == nil ? isFollowed : error?.code == .invalidResponse && !isFollowed)
        #expect(networking.sent.count <= 4)
        #expect(networking.sent.allSatisfy { $0.authority?.hasSuffix(".githubusercontent.com") == true })
    }

    @Test(
        "requests are sent only to the server's own hosts",
        arguments: [
            ("https://api.github.com", "https://avatars.githubusercontent.com/u/1", true),
            ("https://api.github.com", "https://x.github.com/u/1", true),
            ("https://api.github.com", "https://169.254.169.254/latest", false),
            ("https://api.github.com", "http://avatars.githubusercontent.com/u/1", false),
            ("https://api.github.com", "https://evilgithub.com/u/1", false),
            ("https://api.github.com", "https://github.com.evil.example/u/1", false),
            ("https://api.github.com", "file:///etc/passwd", false),
            ("http://localhost:8765", "http://localhost:8765/u/1", true),
            ("http://localhost:8765", "https://x.localhost:8765/u/1", false),
        ])
    func hosts(_ base: String, _ url: String, _ isAsked: Bool) async {
        let networking = ScriptedNetworking(200, [("Content-Type", "image/png")], "x")
        let error = await fault { try await avatar(networking, url, base: base) }
        #expect((networking.request != nil) == isAsked)
        #expect(isAsked || error?.code == .invalidValue)
    }
}

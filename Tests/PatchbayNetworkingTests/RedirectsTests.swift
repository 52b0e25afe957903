import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Testing

@Suite("Redirects")
struct RedirectsTests {
    @Test("a redirect is followed, and the answer is the target's", arguments: [301, 302, 303, 307, 308])
    func follows(_ status: Int) async throws {
        let network = ScriptedNetworking(["/old": (status, "/new"), "/new": (200, nil)])
        let response = try await network.layered(Redirects()).send(.get("/old"), body: [])
        #expect(response.head.status.code == 200)
        #expect(network.sent.map(\.path) == ["/old", "/new"])
    }

    @Test(
        "locations are resolved as addresses",
        arguments: [
            ("https://api.example.org/b?x=1", "https://api.example.org/b?x=1"),
            ("//api.example.org/b", "https://api.example.org/b"), ("/b#top", "https://api.example.org/b"),
            ("b", "https://api.example.org/a/b"), ("https://API.example.org", "https://api.example.org/"),
            ("/b?to=https://x.org", "https://api.example.org/b?to=https://x.org"),
            ("b?to=http://x.org/", "https://api.example.org/a/b?to=http://x.org/"),
            ("?page=2", "https://api.example.org/a/first?page=2"),
        ])
    func resolves(_ location: String, _ expected: String) async throws {
        let network = ScriptedNetworking(["/a/first": (301, location)])
        _ = try await network.layered(Redirects()).send(.get("/a/first"), body: [])
        let last = try #require(network.sent.last)
        #expect("\(last.scheme ?? "")://\(last.authority ?? "")\(last.path ?? "")" == expected)
    }

    @Test(
        "a redirect to another scheme, host or port is returned, and nothing is sent there",
        arguments: [
            "https://evil.example.org/new", "https://api.example.org:444/new", "http://api.example.org/new",
            "//other.example.org/new",
        ])
    func otherOrigin(_ location: String) async throws {
        let network = ScriptedNetworking(["/old": (301, location)])
        let networking = network.layered(Redirects())
        for _ in 0..<2 {
            let response = try await networking.send(.get("/old", token: "s3cret"), body: [])
            #expect(response.head.status.code == 301)
            #expect(response.head.headerFields[.location] == location)
        }
        #expect(network.sent.map(\.path) == ["/old", "/old"])
        #expect(network.sent.allSatisfy { $0.authority == "api.example.org" && $0.scheme == "https" })
    }

    @Test("no field of a request is sent to another server, including secrets of any name")
    func fields() async throws {
        let network = ScriptedNetworking(["/old": (302, "/new")])
        let secret = HTTPField.Name("Private-Token")!
        _ = try await network.layered(Redirects()).send(.get("/old", [secret: "s3cret"]), body: [])
        #expect(network.sent.map { $0.headerFields[secret] } == ["s3cret", "s3cret"])
    }

    @Test(
        "loops, long chains and targets that are not http addresses are refused",
        arguments: [
            ["/old": (301, "/old")], ["/old": (301, "/b"), "/b": (302, "/old")],
            ["/old": (301, "ftp://api.example.org/x")], ["/old": (301, "https://a@b.example.org/")],
            ["/old": (301, "mailto:a@example.org")],
            Dictionary(
                uniqueKeysWithValues: [("/old", (301, "/1"))]
                    + (1..<9).map { ("/\($0)", (301, "/\($0 + 1)")) }),
        ] as [[String: (Int, String?)]])
    func refused(_ answers: [String: (Int, String?)]) async throws {
        let error = await #expect(throws: PatchbayError.self) {
            try await ScriptedNetworking(answers).layered(Redirects()).send(.get("/old"), body: [])
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test("a POST is not redirected, and a redirect without a location is returned")
    func leftAlone() async throws {
        let network = ScriptedNetworking(["/old": (302, "/new"), "/none": (302, nil)])
        var post = HTTPRequest.get("/old")
        post.method = .post
        #expect(try await network.layered(Redirects()).send(post, body: [1]).head.status.code == 302)
        #expect(try await network.layered(Redirects()).send(.get("/none"), body: []).head.status.code == 302)
    }

    @Test("only a permanent redirect is remembered", arguments: [301, 302, 303, 307, 308])
    func memory(_ status: Int) async throws {
        let network = ScriptedNetworking(["/old": (status, "/new")])
        let networking = network.layered(Redirects())
        for _ in 0..<3 { _ = try await networking.send(.get("/old"), body: []) }
        let isRemembered = status == 301
        #expect(network.sent.count { $0.path == "/old" } == (isRemembered ? 1 : 3))
        #expect(network.sent.count { $0.path == "/new" } == 3)
    }

    @Test("a remembered redirect keeps the entity tag but not the date, and no-cache ignores the memory")
    func validators() async throws {
        let network = ScriptedNetworking(["/old": (301, "/new")])
        let networking = network.layered(Redirects())
        let fields: HTTPFields = [.ifNoneMatch: "\"x\"", .ifModifiedSince: "Thu, 01 Oct 2026 09:18:20 GMT"]
        _ = try await networking.send(.get("/old", fields), body: [])
        #expect(network.sent.last?.headerFields[.ifNoneMatch] == nil)
        _ = try await networking.send(.get("/old", fields), body: [])
        #expect(network.sent.last?.headerFields[.ifNoneMatch] == "\"x\"")
        #expect(network.sent.last?.headerFields[.ifModifiedSince] == nil)
        _ = try await networking.send(.get("/old", [.cacheControl: "no-cache"]), body: [])
        #expect(network.sent.map { $0.path } == ["/old", "/new", "/new", "/old", "/new"])
    }

    @Test("a remembered target that no longer exists is forgotten", arguments: [404, 410])
    func gone(_ status: Int) async throws {
        let network = ScriptedNetworking { request, _, number in
            switch (request.path, number) {
            case ("/old", 0): .status(301, ["Location": "/new"])
            case ("/new", 1): .status(200)
            case ("/new", _): .status(status)
            default: .status(200, [:], "again")
            }
        }
        let networking = network.layered(Redirects())
        _ = try await networking.get("/old")
        #expect(try await networking.get("/old").body == Array("again".utf8))
        #expect(network.paths == ["/old", "/new", "/new", "/old"])
        #expect(try await networking.get("/old").body == Array("again".utf8))
        #expect(network.paths.suffix(1) == ["/old"] && network.paths.count == 5)
    }

    @Test("remembered redirects that form a loop are refused")
    func rememberedCircle() async throws {
        let network = ScriptedNetworking { request, _, number in
            if request.path == "/a" { return .status(301, ["Location": "/b"]) }
            return number == 1 ? .status(200) : .status(301, ["Location": "/a"])
        }
        let networking = network.layered(Redirects())
        _ = try await networking.get("/a")
        #expect(await fault { try await networking.get("/a") }?.code == .invalidResponse)
        #expect(await fault { try await networking.get("/b") }?.code == .invalidResponse)
    }

    @Test("a resource that moved away and back is found again")
    func movedBack() async throws {
        let network = ScriptedNetworking { request, _, number in
            switch (request.path, number) {
            case ("/a", 0): .status(301, ["Location": "/b"])
            case ("/b", 1): .status(200)
            case ("/b", _): .status(301, ["Location": "/a"])
            default: .status(200, [:], "again")
            }
        }
        let networking = network.layered(Redirects())
        _ = try await networking.get("/a")
        #expect(try await networking.get("/b").body == Array("again".utf8))
        #expect(try await networking.get("/a").body == Array("again".utf8))
    }

    @Test("the memory is bounded; the oldest redirect is requested again")
    func bounded() async throws {
        let network = ScriptedNetworking { request, _, _ in
            request.path!.hasPrefix("/old") ? .status(301, ["Location": "/new"]) : .status(200)
        }
        let networking = network.layered(Redirects())
        for number in 0...Redirects.rememberedMax { _ = try await networking.get("/old\(number)") }
        let sent = network.sent.count
        _ = try await networking.get("/old1")
        #expect(network.sent.count == sent + 1)
        _ = try await networking.get("/old0")
        #expect(network.sent.count == sent + 3)
    }

    @Test("a 304 with a location is not a redirect")
    func notModified() async throws {
        let network = ScriptedNetworking(["/x": (304, "https://other.example.org/")])
        #expect(try await network.layered(Redirects()).get("/x").head.status.code == 304)
        #expect(network.sent.count == 1)
    }

    @Test("HEAD stays HEAD, and the default port of the scheme is the same origin")
    func method() async throws {
        let network = ScriptedNetworking(["/old": (307, "https://API.example.org:443/new")])
        var request = HTTPRequest.get("/old", token: "s3cret")
        request.method = .head
        _ = try await network.layered(Redirects()).send(request, body: [])
        #expect(network.sent.map(\.method) == [.head, .head])
        #expect(network.sent.last?.headerFields[.authorization] == "Bearer s3cret")
    }

    @Test("an error about a redirect contains no secret of its address")
    func secretInError() async {
        let network = ScriptedNetworking(["/old": (302, "ftp://x.example.org/?token=t0ps3cret")])
        let error = await fault { try await network.layered(Redirects()).get("/old") }
        #expect(error?.code == .invalidResponse)
        #expect(error?.description.contains("t0ps3cret") == false)
    }
}

extension ScriptedNetworking {
    /// Answers by path with a status and the location of a redirect; other paths get 200.
    fileprivate convenience init(_ answers: [String: (Int, String?)]) {
        self.init { request, _, _ in
            let (status, location) = answers[request.path ?? ""] ?? (200, nil)
            return .status(status, location.map { ["Location": $0] } ?? [:])
        }
    }
}

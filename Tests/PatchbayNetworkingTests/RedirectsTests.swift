import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import Synchronization
import Testing

@Suite("Redirects (semantics-26)")
struct RedirectsTests {
    @Test("a redirect is followed, and the answer is the target's", arguments: [301, 302, 303, 307, 308])
    func follows(_ status: Int) async throws {
        let network = Scripted(["/old": (status, "/new"), "/new": (200, nil)])
        let response = try await network.layered(Redirects()).send(.get("/old"), body: [])
        #expect(response.head.status.code == 200)
        #expect(network.sent.map(\.path) == ["/old", "/new"])
    }

    @Test("locations are resolved as addresses", arguments: [
        ("https://api.example.org/b?x=1", "https://api.example.org/b?x=1"),
        ("//other.example.org/b", "https://other.example.org/b"), ("/b#top", "https://api.example.org/b"),
        ("b", "https://api.example.org/a/b"), ("https://other.example.org", "https://other.example.org/"),
    ])
    func resolves(_ location: String, _ expected: String) async throws {
        let network = Scripted(["/a/first": (301, location)])
        _ = try await network.layered(Redirects()).send(.get("/a/first"), body: [])
        let last = try #require(network.sent.last)
        #expect("\(last.scheme ?? "")://\(last.authority ?? "")\(last.path ?? "")" == expected)
    }

    @Test("credentials go to the same origin only", arguments: [
        ("/new", true), ("https://api.example.org/new", true), ("https://evil.example.org/new", false),
        ("https://api.example.org:444/new", false),
    ])
    func credentials(_ location: String, _ isKept: Bool) async throws {
        let network = Scripted(["/old": (302, location)])
        var request = HTTPRequest.get("/old")
        request.headerFields[.authorization] = "Bearer secret"
        _ = try await network.layered(Redirects()).send(request, body: [])
        #expect(network.sent.count == 2)
        #expect((network.sent.last?.headerFields[.authorization] != nil) == isKept)
    }

    @Test("circles, long chains, other schemes and downgrades are refused", arguments: [
        ["/old": (301, "/old")], ["/old": (301, "/b"), "/b": (302, "/old")], ["/old": (301, "http://api.example.org/x")],
        ["/old": (301, "ftp://api.example.org/x")], ["/old": (301, "https://a@b.example.org/")], ["/old": (301, "/ x")],
        Dictionary(uniqueKeysWithValues: [("/old", (301, "/1"))] + (1..<9).map { ("/\($0)", (301, "/\($0 + 1)")) }),
    ] as [[String: (Int, String?)]])
    func refused(_ answers: [String: (Int, String?)]) async throws {
        let error = await #expect(throws: PatchbayError.self) {
            try await Scripted(answers).layered(Redirects()).send(.get("/old"), body: [])
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test("a POST is not sent again, and a redirect without a location is an answer")
    func leftAlone() async throws {
        let network = Scripted(["/old": (302, "/new"), "/none": (302, nil)])
        var post = HTTPRequest.get("/old")
        post.method = .post
        #expect(try await network.layered(Redirects()).send(post, body: [1]).head.status.code == 302)
        #expect(try await network.layered(Redirects()).send(.get("/none"), body: []).head.status.code == 302)
    }
}

extension HTTPRequest {
    fileprivate static func get(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: "api.example.org", path: path)
    }
}

/// Answers by path; what it does not know, with 200.
private final class Scripted: Networking {
    private let answers: [String: (Int, String?)]
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ answers: [String: (Int, String?)]) { self.answers = answers }

    var sent: [HTTPRequest] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        requests.withLock { $0.append(request) }
        let (status, location) = answers[request.path ?? ""] ?? (200, nil)
        var head = HTTPResponse(status: .init(code: status))
        head.headerFields[.location] = location
        return Response(head: head, body: [])
    }
}

import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("requests to GitHub")
struct RequestTests {
    private let networking = ScriptedNetworking()
    private var feed: any ResourceFeed { gitHubFeed(networking) }

    @Test(
        "the list is requested after the last id",
        arguments: [
            (Int64(0), "/users?per_page=100"), (46, "/users?per_page=100&since=46"),
        ])
    func list(_ id: Int64, _ path: String) async throws {
        _ = try await feed.page(.users(after: id))
        #expect(networking.request?.path == path)
        #expect(networking.request?.method == .get)
        #expect(networking.request?.scheme == "https")
        #expect(networking.request?.authority == "api.github.com")
    }

    @Test("a next page is requested at the address in the link")
    func next() async throws {
        let link = "https://api.github.com/user/26594/followers?page=2&x=%41+b"
        _ = try await feed.page(.users(), next: link)
        #expect(networking.request?.path == "/user/26594/followers?page=2&x=%41+b")
    }

    @Test(
        "a next page on another server is not requested",
        arguments: [
            "https://evil.example/users?since=1", "http://api.github.com/users?since=1", "/users?since=1",
            "https://api.github.com:8443/users", "https://x@api.github.com/users",
            "https://api.github.com/ users", "",
        ])
    func foreignNext(_ link: String) async {
        let error = await fault { try await feed.page(.users(), next: link) }
        #expect(error?.code == .invalidResponse)
        #expect(networking.request == nil)
    }

    @Test("media type, version and agent are sent")
    func fields() async throws {
        _ = try await feed.page(.users())
        let fields = try #require(networking.request?.headerFields)
        #expect(fields[.accept] == "application/vnd.github+json")
        #expect(fields[HTTPField.Name("X-GitHub-Api-Version")!] == "2022-11-28")
        #expect(fields[.userAgent]?.hasPrefix("patchbay/") == true)
        #expect(!fields.contains(.ifNoneMatch) && !fields.contains(.ifModifiedSince))
    }

    @Test(
        "the tag is sent unchanged, and the date only without a tag",
        arguments: [
            (Validator(entityTag: "W/\"x\"", lastModified: "d", partition: partition), "W/\"x\"", nil),
            (Validator(entityTag: "\"x\"", partition: partition), "\"x\"", nil),
            (Validator(entityTag: "W/\"\"", lastModified: "d", partition: partition), nil, "d"),
            (Validator(lastModified: "d", partition: partition), nil, "d"),
            (Validator(entityTag: "\"\"", partition: partition), nil, nil),
        ] as [(Validator, String?, String?)])
    func conditions(_ validator: Validator, _ tag: String?, _ date: String?) async throws {
        _ = try await feed.page(.users(), ifChangedFrom: validator)
        #expect(networking.request?.headerFields[.ifNoneMatch] == tag)
        #expect(networking.request?.headerFields[.ifModifiedSince] == date)
    }

    @Test(
        "a login is one segment of the path",
        arguments: [
            ("octocat", "/users/octocat"), ("a/b", "/users/a%2Fb"), ("../x", "/users/..%2Fx"),
            ("a b?c#d%", "/users/a%20b%3Fc%23d%25"),
            ("\u{E9}", "/users/%C3%A9"), ("a-b_c.d~e[bot]", "/users/a-b_c.d~e%5Bbot%5D"),
        ])
    func login(_ login: String, _ path: String) async {
        _ = await fault { try await feed.user(login) }
        #expect(networking.request?.path == path)
    }

    @Test(
        "an invalid login is refused", arguments: ["", ".", "..", String(repeating: "x", count: 256)])
    func invalidLogin(_ login: String) async {
        let error = await fault { try await feed.user(login) }
        #expect(error?.code == .invalidValue)
        #expect(networking.request == nil)
    }

    @Test("a base URL may have a path, a port and trailing slashes")
    func basePath() async throws {
        _ = try await gitHubFeed(networking, "http://ghe.example:8080/api/v3//").page(.users())
        #expect(networking.request?.path == "/api/v3/users?per_page=100")
        #expect(networking.request?.authority == "ghe.example:8080")
    }

    @Test("an invalid base URL is reported", arguments: ["", "api.github.com", "ftp://x", "https://"])
    func invalidBase(_ base: String) async {
        let error = await fault { try await gitHubFeed(networking, base).page(.users()) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(
        "hosts with the API",
        arguments: [
            ("api.github.com", true), ("API.GitHub.com", true), ("api.octo.ghe.com", true),
            ("api.github.example.org", true),
            ("github.com", false), ("slack.com", false), ("evilapi.github.com.example", false),
            ("octo.ghe.com", false),
        ])
    func hosts(_ host: String, _ isSpoken: Bool) {
        #expect(SourceAPI.github.definition.isSpoken(by: host) == isSpoken)
    }

    @Test(
        "an Enterprise Server has its own ids, and any other address is treated as api.github.com",
        arguments: [
            ("https://api.github.com", nil), ("https://API.github.com:443/", nil),
            ("http://127.0.0.1:8765", nil), ("https://mirror.example.org/github", nil),
            ("https://ghe.example.org/api/v3", "ghe.example.org"),
            ("http://GHE.example.org:80/API/V3/", "ghe.example.org"),
            ("https://ghe.example.org:8443/api/v3", "ghe.example.org:8443"),
            ("http://127.0.0.1:8765/api/v3", "127.0.0.1:8765"),
            ("https://api.octo.ghe.com", "octo.ghe.com"),
            ("https://api.github.example.org", "github.example.org"),
            ("nonsense", nil),
        ] as [(String, String?)])
    func servers(_ baseURL: String, _ server: String?) {
        let source = SourceAPI.github.open(networking, baseURL)
        #expect(source.word == "github" && source.server == server)
    }

    @Test("an opened source has its resources and the name of the host")
    func open() {
        let source = SourceAPI.github.open(networking, "https://api.github.com/")
        #expect(source.name == "api.github.com")
        #expect(source.feed != nil)
        #expect(
            source.resources.map(\.name) == [
                "users", "repos", "commits", "issues", "pulls", "releases", "organizations", "members",
                "followers", "following",
            ])
    }
}

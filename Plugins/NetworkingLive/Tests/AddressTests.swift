#if Live
import HTTPTypes
import PatchbayCore
import TestServer
import Testing

@testable import NetworkingLive

@Suite("Addresses and proxies", .timeLimit(.minutes(5)))
struct AddressTests {
    private func target(_ scheme: String, _ authority: String, _ path: String = "/") throws -> Target {
        try Target(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))
    }

    @Test("host and port are parsed, and invalid hosts are refused")
    func authorities() throws {
        #expect(try target("https", "API.github.com", "/a%2Fb?c=d").url == "https://api.github.com/a%2Fb?c=d")
        #expect(try target("https", "host", "/a?b[c]=%3D|{d}").url == "https://host/a?b%5Bc%5D=%3D%7C%7Bd%7D")
        #expect(try target("http", "[::1]:80").host == "::1")
        #expect(try target("http", "localhost:8765").name == "localhost:8765")
        for wrong in [
            "", "user@host", "a b", "host:0", "host:70000", "host:", "host:1:2", "[::1", "hös", "a/b", "a\\b",
        ] {
            #expect(throws: PatchbayError.self, "\(wrong)") { try target("https", wrong) }
        }
        #expect(throws: PatchbayError.self) { try target("file", "host") }
        #expect(throws: PatchbayError.self) { try target("https", "host", "/a b") }
        // The HTTP client would send these as "/".
        for path in ["/caf%E9", "/a/%ff?b=c"] {
            #expect(throws: PatchbayError.self) { try target("https", "host", path) }
        }
        #expect(try target("https", "host", "/caf%C3%A9?b=%ff%").url == "https://host/caf%C3%A9?b=%ff%25")
        #expect(throws: PatchbayError.self) { try target("https", "host", "@other/") }
    }

    @Test("plain http is allowed only to this machine, unless the option allows it")
    func plainHTTP() async throws {
        for host in ["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]"] {
            #expect(try target("http", host).isLoopback, "\(host)")
        }
        for host in ["localhost.example", "127.0.0.1.example", "128.0.0.1", "127.0.0.256", "[::2]"] {
            #expect(try !target("http", host).isLoopback, "\(host)")
        }
        let network = try LiveNetworking()
        let request = HTTPRequest(method: .get, scheme: "http", authority: "host.invalid", path: "/")
        let error = await #expect(throws: PatchbayError.self) { try await network.send(request, body: []) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("allow-plain-http") == true)
        try await network.close()
    }

    @Test("a proxy's address is parsed with its name and password")
    func proxyAddresses() throws {
        let proxy = try #require(ProxyAddress("http://ada:p%40ss@proxy.example:3128/"))
        #expect(proxy.host == "proxy.example" && proxy.port == 3128)
        #expect(proxy.user == "ada" && proxy.password == "p@ss" && proxy.hasCredentials)
        #expect(ProxyAddress("proxy:8080")?.port == 8080)
        #expect(ProxyAddress("socks5://proxy")?.port == 1080)
        for wrong in ["", "https://proxy", "ftp://proxy", "http://", "http://a b", "http://proxy:x"] {
            #expect(ProxyAddress(wrong) == nil, "\(wrong)")
        }
    }

    @Test("the environment sets proxies by scheme and exceptions, and lower case takes precedence")
    func environment() throws {
        let choice = ProxyChoice.environment([
            "HTTPS_PROXY": "http://big:1", "https_proxy": "http://small:1", "HTTP_PROXY": "http://plain:1",
            "no_proxy": "localhost,.example.org, direct.net:8443,10.0.0.1",
        ])
        func host(_ scheme: String, _ authority: String) throws -> String? {
            try choice.proxy(for: target(scheme, authority))?.host
        }
        #expect(try host("https", "api.github.com") == "small")
        #expect(try host("http", "api.github.com") == "plain")
        #expect(try host("https", "127.0.0.1:1") == nil)
        #expect(try host("https", "example.org") == nil)
        #expect(try host("https", "a.example.org") == nil)
        #expect(try host("https", "notexample.org") == "small")
        #expect(try host("https", "direct.net:8443") == nil)
        #expect(try host("https", "direct.net") == "small")
        #expect(try host("https", "10.0.0.1") == nil)
        let all = ProxyChoice.environment(["HTTPS_PROXY": "http://big:1", "NO_PROXY": "*"])
        #expect(try all.proxy(for: target("https", "api.github.com")) == nil)
    }

    @Test("an invalid proxy address is reported without its value")
    func wrongProxy() throws {
        let choice = ProxyChoice.environment(["HTTPS_PROXY": "https://ada:s3cret@proxy"])
        let error = #expect(throws: PatchbayError.self) {
            try choice.proxy(for: target("https", "api.github.com"))
        }
        #expect(error?.message.contains("HTTPS_PROXY") == true)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("a request over TLS asks the proxy for a tunnel, and the token stays inside")
    func tunnel() async throws {
        let proxy = try await ScriptedServer(["host.invalid:443": [.answer(status: "403 No")]])
        var options = LiveOptions()
        options.proxy = .always(try #require(ProxyAddress("http://ada:s3cret@127.0.0.1:\(proxy.port)")))
        let network = try LiveNetworking(options)
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "host.invalid", path: "/",
            headerFields: [.authorization: "Bearer t0ken"])
        let error = await #expect(throws: PatchbayError.self) { try await network.send(request, body: []) }
        #expect(error?.code == .offline)
        #expect(error?.message.contains("proxy") == true)
        #expect(error?.note("proxy") == "127.0.0.1:\(proxy.port)")
        #expect(error?.description.contains("s3cret") == false)
        let head = proxy.seen.requests.first ?? ""
        #expect(head.hasPrefix("CONNECT host.invalid:443"))
        #expect(head.contains("YWRhOnMzY3JldA=="))
        #expect(!head.contains("t0ken"))
        try await network.close()
    }
}
#endif

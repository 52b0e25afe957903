import HTTPTypes
import PatchbayCore
import Testing

@Suite("An address of HTTP") struct HTTPAddressTests {
    @Test(
        "scheme, host and default port are normalised",
        arguments: [
            ("HTTPS://API.GitHub.com:443", "https://api.github.com/"),
            ("http://localhost:80/A?b=C#d", "http://localhost/A?b=C"),
            ("https://x.org:80?a=1", "https://x.org:80/?a=1"), ("http://[::1]:8080/", "http://[::1]:8080/"),
        ])
    func spelling(_ text: String, _ expected: String) throws {
        let address = try #require(HTTPAddress(text))
        #expect(address.text == expected)
        let request = HTTPRequest(
            method: .get, scheme: address.scheme, authority: address.authority, path: address.path)
        #expect(HTTPAddress(of: request) == address)
    }

    @Test(
        "only an absolute http(s) address is accepted",
        arguments: [
            "", "/users", "?a=https://x.org", "//x.org/a", "api.github.com", "localhost:8080", "ftp://x.org",
            "https:/x.org", "https://", "https:///a", "https://a@x.org/", "https://x.org/\u{FC}",
            "https://x.org/a b", "/a?b=https://x.org",
        ])
    func none(_ text: String) { #expect(HTTPAddress(text) == nil) }

    @Test(
        "a link is resolved, and only characters that an address must not contain are encoded",
        arguments: [
            ("?p=2", "https://x.org/a/b?p=2"), ("c?d=/e", "https://x.org/a/c?d=/e"),
            ("/q?f=name eq 'ü'", "https://x.org/q?f=name%20eq%20'%C3%BC'"),
            ("/q?page[size]=1&c=a%3D%5b", "https://x.org/q?page%5Bsize%5D=1&c=a%3D%5b"),
            ("/q?w={\"a\"}|100%&e=%zz%4", "https://x.org/q?w=%7B%22a%22%7D%7C100%25&e=%25zz%254"),
            ("http://[::1]:8080/[a]", "http://[::1]:8080/%5Ba%5D"), ("//y.org?a b", "https://y.org/?a%20b"),
        ])
    func links(_ link: String, _ expected: String) throws {
        #expect(try #require(HTTPAddress("https://x.org/a/b?c")).resolving(link)?.text == expected)
    }

    @Test(
        "a link to no server is refused",
        arguments: ["", "#a", "ftp://x.org", "https://a@x.org/", "https://x y/", "https://ü/", "/a\nb"])
    func notLinks(_ link: String) throws {
        #expect(try #require(HTTPAddress("https://x.org/a/b?c")).resolving(link) == nil)
    }

    @Test(
        "this machine is recognised by its names and numbers",
        arguments: [
            ("http://localhost:1", true), ("http://127.0.0.1", true), ("http://127.9.9.9:80/x", true),
            ("http://[::1]/", true), ("http://127.0.0.1.example.org", false), ("http://localhost.org", false),
            ("http://[::2]/", false), ("http://127.0.0.256", false), ("http://[::ffff:127.0.0.1]:1", true),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(HTTPAddress(text)).isLoopback == isLoopback)
    }
}

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
        "this machine is recognised by its names and numbers",
        arguments: [
            ("http://localhost:1", true), ("http://127.0.0.1", true), ("http://127.9.9.9:80/x", true),
            ("http://[::1]/", true), ("http://127.0.0.1.example.org", false), ("http://localhost.org", false),
            ("http://[::2]/", false),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(HTTPAddress(text)).isLoopback == isLoopback)
    }
}

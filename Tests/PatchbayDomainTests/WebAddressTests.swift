import PatchbayDomain
import Testing

@Suite("Addresses that a browser may open")
struct WebAddressTests {
    @Test(
        "http and https addresses are accepted unchanged",
        arguments: [
            "https://example.org", "HTTP://example.org:8080/a?b=c#d", "http://localhost/x",
            "https://xn--bcher-kva.example",
        ])
    func taken(_ text: String) { #expect(WebAddress(text)?.text == text) }

    @Test(
        "a host without a scheme is assumed to be https",
        arguments: ["example.org", "blog.example.org/me?x=1:2"])
    func completed(_ text: String) { #expect(WebAddress(text)?.text == "https://" + text) }

    @Test(
        "everything else is refused",
        arguments: [
            "", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://example.org",
            "https://",
            "https:///path", "https://me@example.org", "https://example.org@evil.example", "example.org:22",
            "a b", "https://example.org/\u{1B}[31m", "https://example.org/\"; rm -rf ~",
            "https://bücher.example",
            "https://example.org/\u{202E}gpj", "word", "-flag.example", "https://example.org:x",
            "https://e.example/" + String(repeating: "x", count: WebAddress.bytesMax),
        ])
    func refused(_ text: String) { #expect(WebAddress(text) == nil) }
}

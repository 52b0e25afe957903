import PatchbayCore
import Testing

@Suite("Percent-encoding")
struct EncodingTests {
    @Test(
        "a segment encodes everything that needs encoding",
        arguments: [
            ("octocat", "octocat"), ("a/b", "a%2Fb"), ("é?#", "%C3%A9%3F%23"), ("50%", "50%25"),
            ("a b+c", "a%20b%2Bc"),
            ("-._~", "-._~"), ("", ""), ("🐙", "%F0%9F%90%99"),
        ])
    func segment(_ text: String, _ expected: String) { #expect(PercentEncoding.segment(text) == expected) }

    @Test("two spellings of a path or a query part become one")
    func canonical() {
        #expect(PercentEncoding.path("/a%2fb/%41".utf8) == "/a%2Fb/A")
        #expect(PercentEncoding.path("/%zz%2".utf8) == "/%25zz%252")
        #expect(PercentEncoding.queryPart("a+b%20c".utf8) == "a%20b%20c")
    }
}

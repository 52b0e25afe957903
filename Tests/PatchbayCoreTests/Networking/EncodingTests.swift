import PatchbayCore
import Testing

@Suite("Percent-encoding and base64")
struct EncodingTests {
    @Test(
        "a segment encodes all but what needs no encoding",
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

    @Test(
        "base64 is written and read as RFC 4648 has it",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ text: String, _ encoded: String) {
        #expect(Base64.encoded(Array(text.utf8)) == Array(encoded.utf8))
        #expect(Base64.decoded(Array(encoded.utf8)) == Array(text.utf8))
    }

    @Test("every byte comes back from base64, and what is none is nil")
    func bytes() {
        let bytes = (0...255).map { UInt8($0) }
        for count in 0...256 {
            #expect(Base64.decoded(Base64.encoded(Array(bytes.prefix(count)))) == Array(bytes.prefix(count)))
        }
        for text in ["Z", "Zg=", "Zg===", "Z!==", "Zg==Zg"] {
            #expect(Base64.decoded(Array(text.utf8)) == nil)
        }
    }
}

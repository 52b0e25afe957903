import PatchbayJSON
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "the examples of RFC 4648 are encoded and decoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(_ bytes: String, _ letters: String) {
        var text: [UInt8] = []
        Base64.append(Array(bytes.utf8).span.bytes, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == letters)
        #expect(Base64.decode(Array(letters.utf8).span.bytes) == Array(bytes.utf8))
    }

    @Test("every byte in every position is read back")
    func everyByte() {
        for count in 0..<7 {
            let bytes = (0..<256 + count).map { UInt8(truncatingIfNeeded: $0 &* 89) }
            var text: [UInt8] = []
            Base64.append(bytes.span.bytes, to: &text)
            #expect(Base64.decode(text.span.bytes) == bytes)
        }
    }

    @Test(
        "text that the encoder would not write is refused",
        arguments: [
            "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Z===", "====", "Zm 9", "Zm9v\n", "Zm-_", "Zm9ü",
        ])
    func refused(_ letters: String) {
        #expect(Base64.decode(Array(letters.utf8).span.bytes) == nil)
    }

    @Test(
        "base64 is written and read according to RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ text: String, _ encoded: String) {
        #expect(Base64.encoded(Array(text.utf8)) == Array(encoded.utf8))
        #expect(Base64.decoded(Array(encoded.utf8)) == Array(text.utf8))
    }

    @Test("every byte is read back from base64, and text that is not base64 is nil")
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

import PatchbayJSON
import Testing

@Suite("Strings in place")
struct JSONTextTests {
    private func string(_ text: String) throws -> String {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        let value = try reader.readString()
        try reader.finish()
        return value
    }

    @Test("every escape is resolved")
    func escapes() throws {
        #expect(try string(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{8}\u{C}\n\r\t")
        #expect(try string(#""a\u0041\u00e9\u20AC\uD834\uDD1Ez""#) == "aAé€𝄞z")
        #expect(try string(#""\u0000""#) == "\u{0}")
        #expect(try string(#""é\n漢\t𝄞""#) == "é\n漢\t𝄞")
    }

    @Test(
        "half a surrogate pair becomes U+FFFD",
        arguments: [
            (#""\ud800""#, "\u{FFFD}"), (#""\udc00""#, "\u{FFFD}"), (#""a\ud800b""#, "a\u{FFFD}b"),
            (#""\ud800\u0041""#, "\u{FFFD}A"), (#""\udc00\ud800""#, "\u{FFFD}\u{FFFD}"),
            (#""\ud800\ud834\udd1e""#, "\u{FFFD}𝄞"), (#""\ud834\\udd1e""#, "\u{FFFD}\\udd1e"),
        ])
    func loneSurrogates(text: String, expected: String) throws {
        #expect(try string(text) == expected)
    }

    @Test("a string of any length is read in full, in every position")
    func lengths() throws {
        for length in 0...40 {
            for last in ["", "é", "\\n", "𝄞"] {
                let body = String(repeating: "a", count: length) + last
                let bytes = Array("[\"\(body)\",\"\(body)\"]".utf8)
                var reader = JSONReader(bytes.span.bytes)
                try reader.beginArray()
                while try reader.nextElement() {
                    let text = try reader.readText()
                    #expect(text.bytes.byteCount == body.utf8.count)
                    #expect(text.hasEscapes == (last == "\\n"))
                }
                try reader.finish()
            }
        }
    }

    @Test("a key is compared with a literal after its escapes are resolved")
    func comparison() throws {
        let text = #"["login","log\u0069n","logout","logi","","é","\u00e9","a_key_of_twenty_two_b"]"#
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        var matches: [String] = []
        try reader.beginArray()
        while try reader.nextElement() {
            let key = try reader.readText()
            if key == "login" { matches.append("login") }
            if key == "" { matches.append("empty") }
            if key == "é" { matches.append("é") }
            if key == "a_key_of_twenty_two_b" { matches.append("long") }
            if key == "a_key_of_twenty_two_c" { matches.append("wrong") }
        }
        #expect(matches == ["login", "login", "empty", "é", "é", "long"])
    }

    @Test("a literal that differs in any single byte is another key")
    func comparisonOfEachByte() throws {
        let keys: [StaticString] = [
            "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi",
            "abcdefghijklmno",
            "abcdefghijklmnop", "abcdefghijklmnopq", "abcdefghijklmnopqrstuvwxyz",
        ]
        for key in keys {
            let name = Array(key.description.utf8)
            #expect(try equals(name, key))
            #expect(try !equals(name + [0x61], key))
            #expect(try !equals(Array(name.dropLast()), key))
            for place in name.indices {
                var other = name
                other[place] ^= 1
                #expect(try !equals(other, key))
            }
        }
    }

    private func equals(_ name: [UInt8], _ literal: StaticString) throws -> Bool {
        let bytes = [0x22] + name + [0x22]
        var reader = JSONReader(bytes.span.bytes)
        return try reader.readText() == literal
    }

    @Test("a key stays readable while the reader continues")
    func keyOutlivesStep() throws {
        let bytes = Array(#"{"one":"two"}"#.utf8)
        var reader = JSONReader(bytes.span.bytes)
        try reader.beginObject()
        guard let key = try reader.nextKey() else { return #expect(Bool(false), "no key") }
        let value = try reader.readText()
        let isEnd = try reader.nextKey() == nil
        #expect(isEnd)
        #expect(key.string() == "one" && value.string() == "two")
    }

    @Test("append adds after existing bytes")
    func append() throws {
        let bytes = Array(#""b\u0063""#.utf8)
        var reader = JSONReader(bytes.span.bytes)
        var output = Array("a".utf8)
        try reader.readText().append(to: &output)
        #expect(output == Array("abc".utf8))
    }
}

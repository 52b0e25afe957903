import PatchbayJSON
import Testing

@Suite("The grammar of RFC 8259")
struct GrammarTests {
    static let valid: [String] = [
        "{}", "[]", " [ ] ", "\t\r\n{ \n}\n", "null", "true", "false", "0", "-0", "1", "-1", "1234567890",
        "0.5", "-0.5", "1.25", "1e5", "1E5", "1e+5", "1e-5", "1.5E-05", "0e0", "0.0e+00",
        "123456789012345678901234567890",
        "\"\"", "\"a\"",
        #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\uD834\uDD1E""#, #""\ud800""#, #""\udc00\ud800""#,
        "\"\u{7F}\"", "\"\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"", "\"\u{2028}\"", "\"\u{FEFF}\"",
        "\"éèêëēėę and a longer line of text: ünïcödé\"", "[1]", "[1,2]", "[ 1 , 2 ]", "[[],[[]],{}]",
        #"{"a":1}"#, #"{ "a" : 1 , "b" : [ ] }"#, #"{"a":1,"a":2}"#, #"{"":""}"#,
        #"{"\u0061":{"b":{"c":[null]}}}"#,
        #"["1234567","12345678","123456789","1234567890123456"]"#,
    ]

    static let invalid: [String] = [
        "", " ", "\n", "[", "]", "{", "}", "[1", "[1,", "[,", "[,]", "[1,]", "[1,,2]", "[1 2]", "[1}",
        "{]", "[}",
        "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{\"a\",1}", "{\"a\":}",
        "{a:1}", "{1:1}",
        "{'a':1}", "{\"a\":1 \"b\":2}", "{\"a\" 1}", "{null:1}", "{\"a\"::1}", "{\"a\":1,,\"b\":1}",
        "[\"a\":1]",
        "nul", "nulL", "nullx", "tru", "True", "TRUE", "falsy", "fals", "truefalse", "null null",
        "undefined", "NaN",
        "Infinity", "-Infinity", "+1", "-", "--1", "01", "-01", "00", "1.", ".5", "-.5", "1.e5", "1e",
        "1e+", "1e-", "1E.5",
        "0x10", "1_000", "1,", "1a", "1.5.5", "1e5e5", "1e5.5", "１", "- 1", "1 .5", "1 e5", "[1.]",
        "[01]", "[1e]", "[-]",
        "\"", "\"a", "\"\\\"", "\"\\", "\"\\u", "\"\\u12\"", "\"\\u12G4\"", "\"\\x41\"", "\"\\a\"",
        "\"\\'\"", "\"\\U0041\"",
        "\"\\u+123\"", "\"\\u 123\"", "\"\\ud834\\u\"", "'a'", "a", "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"",
        "\"\u{1F}\"",
        "\"1234567\u{1F}\"", "\"a\"b", "\"a\" \"b\"", "// x\n1", "/* x */1", "1 // x", "[1 /* x */]",
        "#1", "\u{FEFF}1",
        "\u{FEFF}", "\u{A0}1", "1\u{A0}", "\u{2028}1", "\u{B}1", "\u{C}1", "1\u{0}", "\u{0}", "\u{0}1",
        "[\u{0}]", "{\u{0}}",
        "{}}", "[]]", "{}{}", "[][]", ",", ":", "\\", "\\u0031", "*", "@", "(1)",
    ]

    static let invalidUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF], [0xE0, 0xA0], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF],
        [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF1, 0x80, 0x80, 0x41],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE2, 0x28, 0xA1],
        [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]

    @Test("every text of the grammar is accepted, whether skipped or read", arguments: valid)
    func accepts(text: String) throws {
        #expect(mistake(in: Array(text.utf8)) == nil)
        _ = try copy(of: Array(text.utf8))
    }

    @Test("every text outside the grammar is refused, whether skipped or read", arguments: invalid)
    func refuses(text: String) {
        #expect(mistake(in: Array(text.utf8)) != nil)
        #expect(throws: JSONError.self) { try copy(of: Array(text.utf8)) }
    }

    @Test("malformed UTF-8 is refused everywhere in a string", arguments: invalidUTF8)
    func refusesMalformedUTF8(bytes: [UInt8]) {
        for before in 0...17 {
            let padding = Array(repeating: UInt8(ascii: "a"), count: before)
            for after in [[], Array("b".utf8), Array("12345678 é".utf8)] {
                let text = Array("[\"".utf8) + padding + bytes + after + Array("\"]".utf8)
                #expect(mistake(in: text)?.message == "a string contains invalid UTF-8")
                #expect(mistake(in: text)?.offset == before + 2)
            }
        }
        #expect(mistake(in: bytes) != nil)
        #expect(mistake(in: Array("\"".utf8) + bytes) != nil)
    }

    @Test("every truncation of a text is refused")
    func refusesCuts() {
        let text = Array(#"{"a":[1.5e3,true,null,"é\u0041"],"b":{"c":false}}"#.utf8)
        #expect(mistake(in: text) == nil)
        for length in 0..<text.count {
            #expect(mistake(in: Array(text[..<length])) != nil, "cut to \(length) bytes")
        }
    }

    @Test("objects and arrays may nest 256 deep and no deeper", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(open: String, close: String) {
        func nested(_ depth: Int) -> [UInt8] {
            let inner = open == "[" ? "" : "1"
            let start = String(repeating: open, count: depth)
            return Array((start + inner + String(repeating: close, count: depth)).utf8)
        }
        #expect(mistake(in: nested(256)) == nil)
        #expect(mistake(in: nested(257))?.message == "objects and arrays nest more than 256 deep")
        #expect(mistake(in: nested(100_000))?.message == "objects and arrays nest more than 256 deep")
    }
}

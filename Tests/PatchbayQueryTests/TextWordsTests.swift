import Patchbay
@testable import PatchbayQuery
import Testing

@Suite("Texts that people search for")
struct TextWordsTests {
    @Test(
        "become strings of FTS5, so that no text is an operator",
        arguments: [
            ("crash", #""crash""#), ("crash windows", #""crash" "windows""#),
            (#""data race""#, #""data race""#), ("crash*", #""crash" *"#), (#""data ra"*"#, #""data ra" *"#),
            ("crash -windows", #"("crash") NOT ("windows")"#),
            (#"a -b -"c d" -e*"#, #"("a") NOT ("b" OR "c d" OR "e" *)"#),
            (#"a"b"#, #""a""b""#), (#""open"#, #""open""#), ("x AND y OR z", #""x" "AND" "y" "OR" "z""#),
            ("title:x {y} ^z NEAR(a b)", #""title:x" "{y}" "^z" "NEAR(a" "b)""#),
            ("swift-nio", #""swift-nio""#),
            ("a\u{0}b", #""a" "b""#), (#""a\#u{0}b""#, #""a b""#), ("- a *", #""a""#),
            ("--a b", #"("b") NOT ("-a")"#),
            ("日本 ☃ x", #""日本" "x""#), ("''; DROP", #""DROP""#),
        ])
    func expressions(_ text: String, _ expression: String) throws {
        #expect(try TextWords(text).expression == expression)
    }

    @Test(
        "without a wanted word are refused with the reason", arguments: ["", " ", "\"\"", "***", "-", "☃ !?"])
    func nothing(_ text: String) {
        #expect(throws: PatchbayError.self) { try TextWords(text) }
        do {
            _ = try TextWords(text)
        } catch {
            #expect(error.code == .invalidValue && error.message == "the text has no word to search for")
        }
    }

    @Test("that are too long, or have only unwanted words, are refused")
    func limits() {
        #expect(throws: PatchbayError.self) { try TextWords("-a -b") }
        #expect(throws: PatchbayError.self) { try TextWords(String(repeating: "a ", count: 65)) }
        #expect(throws: PatchbayError.self) { try TextWords(String(repeating: "a", count: 4_097)) }
        #expect(throws: Never.self) { try TextWords(String(repeating: "a ", count: 64)) }
    }
}

import PatchbayCore
import PatchbayDomain
import Testing

@Suite("The text of a search")
struct SearchTextTests {
    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test(
        "two spellings of a text are the same search",
        arguments: [
            ("  Tom \n", "tom"), ("\u{3000}tom\u{2028}", "TOM"), ("straße", "STRASSE"), ("ẞ", "ß"),
            ("ΣΑΣ", "σας"),
            ("e\u{301}", "\u{c9}"), ("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"), ("ﬁn", "FIN"),
            ("İ", "i\u{307}"), ("\u{212A}", "k"), ("ſ", "S"), ("\u{1F88}", "\u{1F00}\u{3B9}"), ("👩‍👩‍👧", " 👩‍👩‍👧"),
            ("a  b", "A  B"),
        ])
    func same(_ one: String, _ other: String) throws {
        let left = try #require(try SearchText(one)), right = try #require(try SearchText(other))
        #expect(left == right && left.key.utf8.elementsEqual(right.key.utf8))
        #expect(scalars(left.folded) == scalars(right.folded))
    }

    @Test(
        "different texts are different searches",
        arguments: [
            ("ı", "i"), ("İ", "i"), ("ö", "o"), ("a b", "a  b"), ("cat OR dog", "cat or dog"), ("\"a\"", "a"),
            ("👍", "👍🏽"),
        ])
    func different(_ one: String, _ other: String) throws {
        #expect(try SearchText(one) != SearchText(other))
        #expect(try SearchText(one)?.key != SearchText(other)?.key)
    }

    @Test("a text of white space is not a search", arguments: ["", " ", "\n\t\u{2028}\u{3000}\u{85}"])
    func empty(_ text: String) throws { #expect(try SearchText(text) == nil) }

    @Test("a source receives the text composed and trimmed, and otherwise unchanged")
    func asked() throws {
        let text = try #require(try SearchText(" \u{1B}[31m\"A\":e\u{301} straße "))
        #expect(scalars(text.text) == scalars("\u{1B}[31m\"A\":é straße"))
        #expect(scalars(text.folded) == scalars("\u{1B}[31m\"a\":é strasse"))
    }

    @Test("a text has at most 256 characters, and no U+0000")
    func limits() throws {
        #expect(try SearchText(String(repeating: "한", count: 256)) != nil)
        // Three scalars each before they are composed.
        #expect(try SearchText(String(repeating: "\u{1112}\u{1161}\u{11ab}", count: 256)) != nil)
        for text in [String(repeating: "x", count: 257), String(repeating: "é", count: 1 << 20), "a\u{0}b"] {
            let error = #expect(throws: PatchbayError.self) { _ = try SearchText(text) }
            #expect(error?.code == .invalidValue)
            #expect((error?.message.utf8.count ?? .max) < 120)
        }
    }

    @Test("a long text has a distinct key that fits every storage")
    func keys() throws {
        let long = String(repeating: "é", count: 255)
        let texts = try ["a", "b"].map { try #require(try SearchText(long + $0)) }
        #expect(texts[0].key != texts[1].key)
        for text in texts { #expect(text.key.utf8.count <= 320 && text.folded.utf8.count > 320) }
        #expect(texts[0].key == (try SearchText(long.uppercased() + "A"))?.key)
    }

    @Test("a text and its continuation are recognised as the same typing")
    func typing() throws {
        let texts = try ["to", "Tom", "tim"].map { try #require(try SearchText($0)) }
        #expect(texts[0].isSameTyping(as: texts[1]) && texts[1].isSameTyping(as: texts[0]))
        #expect(!texts[1].isSameTyping(as: texts[2]))
    }
}

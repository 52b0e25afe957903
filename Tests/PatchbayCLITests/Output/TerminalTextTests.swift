import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Text on a terminal")
struct TerminalTextTests {
    @Test("ordinary text is printed unchanged", arguments: HostileTexts.ordinary)
    func ordinary(_ text: String) {
        #expect(Array(TerminalText.harmless(text).utf8) == Array(text.utf8))
    }

    @Test(
        "characters that a terminal would interpret or hide are made visible",
        arguments: HostileTexts.dangerous)
    func dangerous(_ text: String, _ shown: String) {
        #expect(Array(TerminalText.harmless(text).utf8) == Array(shown.utf8))
    }

    @Test(
        "a harmless text does not change again, and contains no control characters",
        arguments: HostileTexts.all)
    func idempotent(_ text: String) {
        let once = TerminalText.harmless(text)
        #expect(isStable(once))
        #expect(!once.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    private func isStable(_ text: String) -> Bool {
        TerminalText.harmless(text).utf8.elementsEqual(text.utf8)
    }

    @Test("random mixtures of special characters come out harmless")
    func mixtures() {
        let special = HostileTexts.all.flatMap(\.unicodeScalars).filter { !$0.isASCII || $0.value < 0x20 }
        let parts = Set(special).sorted() + ["a", "1"]
        var random = SplitMix(seed: 20_261_121)
        for _ in 0..<3_000 {
            var text = ""
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                text.unicodeScalars.append(parts.randomElement(using: &random)!)
            }
            #expect(isStable(TerminalText.harmless(text)), "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test(
        "the width of a text is counted in terminal columns",
        arguments: [
            ("", 0), ("octocat", 7), ("Zoë", 3), ("Zoe\u{308}", 3), ("中文", 4), ("ｱ", 1), ("Ａ", 2), ("한국어", 6),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("العربية", 7), ("ภาษาไทย", 7), ("กำ", 2), ("می\u{200C}خ", 3),
            ("हिन्दी", 5),
            ("😀", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("👍🏽", 2), ("☝🏽", 2), ("👨\u{200D}👩\u{200D}👧", 2), ("🇩🇪", 2),
            ("1\u{FE0F}\u{20E3}", 2), ("葛\u{E0100}", 2), ("\u{600}١", 2), ("…", 1), ("𠀀", 2), ("䷀", 2),
            ("〿", 1),
        ])
    func width(_ text: String, _ columns: Int) {
        #expect(TerminalText.width(of: text) == columns)
    }

    @Test(
        "a text is cut between characters, and the cut is shown",
        arguments: [
            ("octocat", 7, "octocat"), ("octocat", 6, "octoc…"), ("octocat", 1, "…"), ("octocat", 0, ""),
            ("中文字", 6, "中文字"), ("中文字", 5, "中文…"), ("中文字", 4, "中…"), ("Zoe\u{308}y", 3, "Zo…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("👨\u{200D}👩\u{200D}👧ab", 3, "👨\u{200D}👩\u{200D}👧…"),
            ("👨\u{200D}👩\u{200D}👧ab", 2, "…"), ("🇩🇪🇫🇷", 3, "🇩🇪…"),
        ])
    func cut(_ text: String, _ limit: Int, _ expected: String) {
        let cut = TerminalText.cut(text, to: limit)
        #expect(Array(cut.utf8) == Array(expected.utf8))
        #expect(TerminalText.width(of: cut) <= limit)
    }
}

/// A small generator with a fixed seed, so that a failure can be reproduced.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

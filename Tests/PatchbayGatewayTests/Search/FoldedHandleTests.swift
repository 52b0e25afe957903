import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Handles in other spellings")
struct FoldedHandleTests {
    /// A gateway with a resource whose handle is its key, or a field with an index of its own.
    private func gateway(isKey: Bool) async throws -> Gateway {
        let list = ListDeclaration(nil, Template([.literal("/words")]))
        var words = ResourceDeclaration(
            "words", fields: [FieldDeclaration("id", .integer), FieldDeclaration("word", .text)],
            key: [isKey ? "word" : "id"], lists: [list])
        words.handle = HandleDeclaration("word")
        let declaration = words
        return try await ResourceFixture(changing: { $0.resources = [declaration] }).gateway
    }

    private func put(_ handles: [String], in gateway: Gateway) async throws {
        let rows = handles.enumerated().map { ["id": ItemValue.integer(Int64($0)), "word": .text($1)] }
        try await gateway.put(rows, in: "words")
    }

    private static let letters = [
        "a", "S", "s", "ss", "ß", "ẞ", "ſ", "k", "K", "\u{212A}", "e", "É", "é", "e\u{301}", "E\u{301}", "ậ",
        "â\u{323}", "ạ\u{302}", "a\u{302}\u{323}", "å", "\u{212B}", "Σ", "ς", "Ϊ\u{301}", "ΐ", "ﬁ", "fi", "ﬆ",
        "İ", "ı", "i", "Ж", "ж", "가", "\u{1100}\u{1161}", "각", "が", "か\u{3099}", "𐐀", "𐐨", "豈", "豈", "-",
    ]

    @Test(
        "are found by their beginning and shown by the whole, as comparing every row would find them",
        arguments: [false, true])
    func everySpelling(_ isKey: Bool) async throws {
        var random = SeededGenerator.fromEnvironment()
        func word(_ count: Int) -> String {
            (0..<count).map { _ in Self.letters.randomElement(using: &random)! }.joined()
        }
        // Texts that are equal for Swift are different handles if their bytes are.
        let bytes = Set((0..<800).map { Array(word(1 + $0 % 4).utf8) })
        let handles = bytes.map { String(decoding: $0, as: UTF8.self) }
        let gateway = try await gateway(isKey: isKey), words = try gateway.resource("words")
        try await put(handles, in: gateway)
        for _ in 0..<400 {
            let text = word(Int.random(in: 1...3, using: &random)), folded = text.caseFolded
            let comment: Comment = "\(text.unicodeScalars.map(\.value)), PATCHBAY_SEED=\(random.seed)"
            let expected = handles.filter { $0.caseFolded.utf8.starts(with: folded.utf8) }
            let found = try await gateway.matches(words, text, limit: 1_000).items
            #expect(Set(found.map { Array($0.handle.utf8) }) == Set(expected.map { Array($0.utf8) }), comment)
            let isStored = handles.contains { $0.caseFolded == folded }
            let shown = await gateway.show(words, text, policy: .localOnly).ending.value
            #expect(shown?.handle.caseFolded == (isStored ? folded : nil), comment)
        }
    }

    @Test(
        "an exact spelling comes before others, and another one is found without it",
        arguments: [false, true])
    func exactFirst(_ isKey: Bool) async throws {
        let gateway = try await gateway(isKey: isKey), words = try gateway.resource("words")
        try await put(["straße", "STRASSE", "Cafe\u{301}"], in: gateway)
        for (text, handle) in [
            ("straße", "straße"), ("STRASSE", "STRASSE"), ("CAFÉ", "Cafe\u{301}"), ("Café", "Cafe\u{301}"),
        ] {
            let shown = await gateway.show(words, text, policy: .localOnly).ending.value
            #expect(shown.map { Array($0.handle.utf8) } == Array(handle.utf8))
        }
    }

    @Test("only few places of the index are walked, whatever the text")
    func places() {
        for (text, most) in [
            ("octocat", 20), ("strasse", 20), ("ärger", 10), ("мос", 10), ("가나", 10), ("ά", 20),
        ] {
            #expect(FoldedStarts(of: text, foldsLatin: true).starts.count <= most, "\(text)")
            #expect(FoldedStarts(of: text, foldsLatin: false).starts.count <= 60, "\(text)")
        }
        #expect(FoldedStarts(of: "bob", foldsLatin: true).starts.map(\.text) == ["bob"])
    }
}

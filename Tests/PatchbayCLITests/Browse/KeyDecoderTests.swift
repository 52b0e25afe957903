import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Keys from a terminal's bytes")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [BrowserKey] {
        var decoder = KeyDecoder()
        return decoder.keys(Array(text.utf8)) + decoder.flush()
    }

    @Test(
        "sequences of xterm and of the Linux console are keys",
        arguments: [
            ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
            ("\u{1B}OA\u{1B}OB\u{1B}OH\u{1B}OF", [.up, .down, .home, .end]),
            ("\u{1B}[5~\u{1B}[6~\u{1B}[1~\u{1B}[4~\u{1B}[3~", [.pageUp, .pageDown, .home, .end, .delete]),
            ("\u{1B}[H\u{1B}[F\u{1B}[1;5A\u{1B}[5;2~", [.home, .end, .up, .pageUp]),
            ("\r\n\u{7F}\u{8}", [.enter, .enter, .backspace, .backspace]),
            ("\u{3}\u{1A}", [.control("C"), .control("Z")]), ("\u{1B}", [.escape]),
            ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}x", [.escape, .text("x")]),
            ("aé語🦀", [.text("a"), .text("é"), .text("語"), .text("🦀")]), ("\u{1B}[200~\u{1B}[99z\u{0}", []),
        ] as [(String, [BrowserKey])])
    func sequences(_ text: String, _ expected: [BrowserKey]) { #expect(keys(text) == expected) }

    @Test("bytes are decoded to the same keys however they are split")
    func pieces() {
        let bytes = Array("\u{1B}[Bé\u{1B}[6~語q\u{1B}OA".utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys = decoder.keys(Array(bytes[..<cut])) + decoder.keys(Array(bytes[cut...]))
            #expect(keys == [.down, .text("é"), .pageDown, .text("語"), .text("q"), .up], "cut at \(cut)")
        }
    }

    @Test("any bytes are accepted, and a sequence without an end is dropped")
    func anyBytes() {
        var random = SeededGenerator.fromEnvironment()
        var decoder = KeyDecoder()
        for _ in 0..<2_000 {
            _ = decoder.keys(
                (0..<Int.random(in: 0...8, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        }
        _ = decoder.flush()
        #expect(
            decoder.keys(Array("\u{1B}[".utf8) + Array(repeating: 0x30, count: 100)) == [],
            "seed \(random.seed)")
        #expect(decoder.keys([0x71]) == [.text("q")])
    }
}

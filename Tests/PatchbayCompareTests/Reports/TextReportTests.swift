import PatchbayCompare
import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("A comparison on a terminal")
struct TextReportTests {
    @Test("no line is wider than the terminal", arguments: [60, 80, 100, 140])
    func width(_ width: Int) {
        for comparison in [MadeUp().comparison(), MadeUp.damaged(), hostile()] {
            let text = TextReport(comparison, width: width, isColoured: false).text
            for line in text.split(separator: "\n") {
                #expect(TerminalText.width(of: String(line)) <= width, "\(line)")
            }
        }
    }

    @Test("bars widen with the terminal up to a limit")
    func wider() {
        let comparison = MadeUp().comparison()
        let longest = [80, 120, 400].map { width in
            TextReport(comparison, width: width, isColoured: false).text.split(separator: "\n")
                .map { $0.count { $0 == "█" } }.max() ?? 0
        }
        #expect(longest[0] > 10)
        #expect(longest[1] > longest[0] + 20)
        #expect(longest[2] < 100)
    }

    @Test("colour adds nothing but escapes, and without it there are none")
    func colour() {
        let plain = TextReport(MadeUp.damaged(), width: 80, isColoured: false).text
        let coloured = TextReport(MadeUp.damaged(), width: 80, isColoured: true).text
        #expect(!plain.utf8.contains(0x1B))
        #expect(coloured.utf8.contains(0x1B))
        #expect(coloured.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == plain)
    }

    @Test("untrusted names and answers cannot move the cursor")
    func hostileNames() {
        for comparison in [hostile(), MadeUp.damaged()] {
            let text = TextReport(comparison, width: 80, isColoured: false).text
            #expect(
                text.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.value >= 0x20 && $0 != "\u{202E}" && $0 != "\u{2028}"
                })
        }
    }

    @Test("each mark is a word")
    func marks() {
        let lines = TextReport(MadeUp.damaged(), width: 100, isColoured: false).text.split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("  best") })
        #expect(lines.contains { $0.hasSuffix(" slower") })
        #expect(lines.contains { $0.hasSuffix("! differs") })
        #expect(lines.contains { $0.contains("– keeps no files") })
        #expect(lines.contains { $0.contains("– the worker ended by signal 9") })
    }

    @Test("a matrix of workloads and storages comes first where it fits")
    func overview() throws {
        let comparison = MadeUp().comparison()
        let text = TextReport(comparison, width: 100, isColoured: false).text
        let overview = try #require(text.firstRange(of: "OVERVIEW WITH 1,000,000 ROWS"))
        #expect(overview.lowerBound < (try #require(text.firstRange(of: "SPEED WITH"))).lowerBound)
        let cells = #/\n  get-handle +[0-9.]+× slower +(≈ best|[0-9.]+ k/s) +(≈ best|[0-9.]+ k/s)\n/#
        #expect(text.contains(cells))
        #expect(!TextReport(hostile(), width: 60, isColoured: false).text.contains("OVERVIEW"))
    }

    @Test("a storage that differs from the best only within the noise is marked")
    func nearBest() {
        let text = TextReport(MadeUp().comparison(), width: 80, isColoured: false).text
        #expect(text.contains("  ≈ best\n"))
        #expect(text.contains("(lmdb and flatfile)"))
    }

    @Test("a difference shows the query, the row and both answers")
    func difference() {
        let text = TextReport(MadeUp.damaged(), width: 80, isColoured: false).text
        #expect(text.contains("! get-handle, 1,000,000 rows: flatfile answered differently from sqlite"))
        #expect(text.contains("583231, field name"))
        #expect(text.contains("The Octocat"))
        #expect(text.contains("Octopus"))
    }

    private func hostile() -> Comparison {
        var madeUp = MadeUp()
        madeUp.subjects = MadeUp.hostileNames
        return madeUp.comparison()
    }
}

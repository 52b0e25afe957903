import PatchbayGateway
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Listings in parts")
struct ListingWriterTests {
    private let pipe = Terminal(isTerminal: false, columns: nil) { _ in nil }
    private let terminal = Terminal(isTerminal: true, columns: 20) { _ in nil }

    private func listing(_ texts: [String]) -> Listing {
        let records = texts.enumerated().map {
            OutputRecord([("id", .integer(Int64($0))), ("text", .text($1))])
        }
        var badge = TableColumn("text", isElastic: true)
        badge.role = { _ in .notable }
        return Listing(
            records, FieldNames(["id", "text"]), .columns([TableColumn("id", alignment: .right), badge]))
    }

    private func text(_ format: OutputFormat, _ parts: [[String]], on terminal: Terminal) -> String {
        var writer = ListingWriter(RecordWriter(format, terminal: terminal))
        var bytes: [UInt8] = []
        for part in parts { bytes += writer.bytes(of: listing(part)) }
        bytes += writer.end(answer: OutputRecord([("complete", .bool(true))]))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "output for programs does not depend on where a part ends",
        arguments: [OutputFormat.csv, .jsonl, .json])
    func parts(_ format: OutputFormat) {
        let whole = text(format, [["a", "b,\u{1B}", "c"]], on: pipe).replacing(#/"?id"?:? ?[0-9]/#, with: "")
        let parts = text(format, [["a"], [], ["b,\u{1B}", "c"]], on: pipe)
        #expect(
            parts.replacing(#/"?id"?:? ?[0-9]/#, with: "").filter { !$0.isNumber }
                == whole.filter { !$0.isNumber })
    }

    @Test("a list without rows has a header or an empty array")
    func empty() {
        #expect(text(.csv, [[]], on: pipe) == "id,text\n")
        #expect(text(.table, [[]], on: pipe) == "ID  TEXT\n")
        #expect(text(.jsonl, [[]], on: pipe) == "")
        #expect(
            text(.json, [[]], on: pipe)
                == "{\n  \"items\": [],\n  \"answer\": {\n    \"complete\": true\n  }\n}\n")
    }

    @Test("a table keeps the widths of its first part and uses the room beside it; in a pipe nothing is cut")
    func table() {
        let parts = [["four"], ["a much longer text than before"]]
        #expect(
            text(.table, parts, on: pipe)
                == "ID  TEXT\n 0  four\n 0  a much longer text than before\n")
        let shown = Paint.removed(from: text(.table, parts, on: terminal))
        #expect(shown == "ID  TEXT\n 0  four\n 0  a much longer t…\n")
    }

    @Test("titles and badges are coloured on a terminal, but text from outside never is")
    func paint() {
        let shown = text(
            .table, [["\u{1B}[31mred"]], on: Terminal(isTerminal: true, columns: 80) { _ in nil })
        #expect(shown == "\u{1B}[1mID  TEXT\u{1B}[0m\n 0  \u{1B}[33m\\u{1B}[31mred\u{1B}[0m\n")
        #expect(!text(.table, [["\u{1B}[31mred"]], on: pipe).contains("\u{1B}"))
        let plain = Terminal(isTerminal: true, columns: 80) { $0 == "NO_COLOR" ? "1" : nil }
        #expect(!text(.table, [["red"]], on: plain).contains("\u{1B}"))
        for format in [OutputFormat.csv, .json, .jsonl] {
            #expect(!text(format, [["\u{1B}[31mred"]], on: terminal).contains("\u{1B}"))
        }
    }
}

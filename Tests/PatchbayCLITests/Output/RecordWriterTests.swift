import Testing

@testable import PatchbayCLI

@Suite("Records in each format")
struct RecordWriterTests {
    private let pipe = Terminal(isTerminal: false, columns: nil) { _ in nil }
    private let terminal = Terminal(isTerminal: true, columns: 20) { _ in nil }
    private let records = [
        OutputRecord([
            ("login", .text("octocat")), ("id", .integer(583_231)), ("staff", .bool(true)), ("bio", .null),
        ]),
        OutputRecord([
            ("login", .text("zoë")), ("id", .integer(.min)), ("staff", .bool(false)),
            ("bio", .text("\u{1B}[0m\n")),
        ]),
    ]

    private func text(_ format: OutputFormat, _ records: [OutputRecord], header: [String] = []) -> String {
        let writer = RecordWriter(format, terminal: pipe)
        return String(decoding: writer.bytes(of: records, header: header, table: unwanted()), as: UTF8.self)
    }

    private func unwanted() -> Table {
        Issue.record("the table is not wanted")
        return Table([], rows: [])
    }

    @Test("JSON is an array of objects, indented by two spaces")
    func json() {
        #expect(
            text(.json, records) == #"""
                [
                  {
                    "login": "octocat",
                    "id": 583231,
                    "staff": true,
                    "bio": null
                  },
                  {
                    "login": "zoë",
                    "id": -9223372036854775808,
                    "staff": false,
                    "bio": "\u001b[0m\n"
                  }
                ]

                """#)
        #expect(text(.json, []) == "[]\n")
    }

    @Test("one thing is one JSON object")
    func jsonObject() {
        let writer = RecordWriter(.json, terminal: pipe)
        let bytes = writer.bytes(of: OutputRecord([("a", .text("x"))]), table: unwanted())
        #expect(String(decoding: bytes, as: UTF8.self) == "{\n  \"a\": \"x\"\n}\n")
    }

    @Test("NDJSON is one object a line")
    func ndjson() {
        #expect(
            text(.ndjson, records) == #"""
                {"login":"octocat","id":583231,"staff":true,"bio":null}
                {"login":"zoë","id":-9223372036854775808,"staff":false,"bio":"\u001b[0m\n"}

                """#)
        #expect(text(.ndjson, []) == "")
    }

    @Test("CSV has a header line and ends its lines in a line feed")
    func csv() {
        #expect(
            text(.csv, records) == """
                login,id,staff,bio
                octocat,583231,true,
                zoë,-9223372036854775808,false,"\u{1B}[0m

                """ + "\"\n")
    }

    @Test("CSV without records has the header it is given")
    func csvHeader() {
        #expect(text(.csv, [], header: ["login", "a,b"]) == "login,\"a,b\"\n")
        #expect(text(.csv, []) == "")
    }

    @Test(
        "a CSV field is quoted where a reader would misread it",
        arguments: [
            (.null, ""), (.text(""), #""""#), (.text("a"), "a"), (.text("a b"), "a b"),
            (.text("a,b"), #""a,b""#),
            (.text(#"say "hi""#), #""say ""hi""""#), (.text("a\r\nb"), "\"a\r\nb\""),
            (.text("a\rb"), "\"a\rb\""),
            (.text(" a"), #"" a""#), (.text("a "), #""a ""#), (.text("=1+1"), "=1+1"),
            (.text("@SUM(A1)"), "@SUM(A1)"),
            (.text("-1"), "-1"), (.text("\t+1"), "\t+1"), (.integer(-1), "-1"),
        ] as [(OutputValue, String)])
    func csvField(_ value: OutputValue, _ field: String) {
        #expect(Array(text(.csv, [OutputRecord([("x", value)])]).utf8) == Array("x\n\(field)\n".utf8))
    }

    @Test("CSV on a terminal is made harmless, because no program reads it there")
    func csvOnTerminal() {
        let writer = RecordWriter(.csv, terminal: terminal)
        let bytes = writer.bytes(of: [OutputRecord([("x", .text("\u{1B}[0m"))])], table: unwanted())
        #expect(String(decoding: bytes, as: UTF8.self) == "x\n\\u{1B}[0m\n")
    }

    @Test("a table fits the terminal that it is printed on")
    func table() {
        let records = [OutputRecord([("text", .text(String(repeating: "x", count: 30)))])]
        let table = Table([TableColumn("text", isElastic: true)], of: records)
        let narrow = RecordWriter(.table, terminal: terminal).bytes(of: records, table: table)
        #expect(String(decoding: narrow, as: UTF8.self) == "TEXT\nxxxxxxxxxxxxxxxxxxx…\n")
        let whole = RecordWriter(.table, terminal: pipe).bytes(of: records, table: table)
        #expect(String(decoding: whole, as: UTF8.self) == "TEXT\n\(String(repeating: "x", count: 30))\n")
    }

    @Test("the formats are the words of the command line")
    func formats() {
        #expect(OutputFormat.allCases.map(\.rawValue) == ["table", "json", "csv", "ndjson"])
    }
}

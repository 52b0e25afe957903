import PatchbayGateway
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

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

    @Test("a single record is one JSON object")
    func jsonObject() {
        let writer = RecordWriter(.json, terminal: pipe)
        let bytes = writer.bytes(of: OutputRecord([("a", .text("x"))]), table: unwanted())
        #expect(String(decoding: bytes, as: UTF8.self) == "{\n  \"a\": \"x\"\n}\n")
    }

    @Test("JSON Lines are one object per line")
    func jsonl() {
        #expect(
            text(.jsonl, records) == #"""
                {"login":"octocat","id":583231,"staff":true,"bio":null}
                {"login":"zoë","id":-9223372036854775808,"staff":false,"bio":"\u001b[0m\n"}

                """#)
        #expect(text(.jsonl, []) == "")
    }

    @Test("CSV has a header line, and its lines end in LF")
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
        "a CSV field is quoted if a reader would misread it otherwise",
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

    @Test("JSON on a terminal escapes invisible characters; its values do not change")
    func jsonOnTerminal() {
        let hostile = "a\u{202E}b\u{200B}c\u{E0041}\u{1B}\n👩‍👩‍👧é"
        let record = OutputRecord([("x", .text(hostile))])
        for format in [OutputFormat.json, .jsonl] {
            let bytes = RecordWriter(format, terminal: terminal).bytes(of: [record], table: unwanted())
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains(#""a\u202eb\u200bc\udb40\udc41\u001b\n👩‍👩‍👧é""#), "\(text)")
            let piped = RecordWriter(format, terminal: pipe).bytes(of: [record], table: unwanted())
            #expect(String(decoding: piped, as: UTF8.self).unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test("an array is JSON in every format but tables")
    func list() {
        let records = [OutputRecord([("topics", .list(["a", "b"]))]), OutputRecord([("topics", .list([]))])]
        #expect(text(.jsonl, records) == "{\"topics\":[\"a\",\"b\"]}\n{\"topics\":[]}\n")
        #expect(text(.csv, records) == "topics\n\"[\"\"a\"\",\"\"b\"\"]\"\n[]\n")
    }

    @Test("an answer in JSON contains its items, with the fields that only JSON has, and its status")
    func answer() {
        var record = OutputRecord([("id", .integer(1)), ("login", .text("ada"))])
        record.more = [("refusal", .null)]
        let listing = Listing(
            [record], FieldNames(["id", "login"], more: ["refusal"]),
            .columns([TableColumn("login"), TableColumn("id", alignment: .right)]))
        func shown(_ format: OutputFormat, _ fields: [String]? = nil) -> String {
            let writer = RecordWriter(format, terminal: pipe)
            let chosen = fields.map { listing.choosing($0) } ?? listing
            return String(
                decoding: writer.bytes(of: chosen, answer: OutputRecord([("state", .text("fresh"))])),
                as: UTF8.self)
        }
        #expect(
            shown(.json) == """
                {
                  "items": [
                    {
                      "id": 1,
                      "login": "ada",
                      "refusal": null
                    }
                  ],
                  "answer": {
                    "state": "fresh"
                  }
                }

                """)
        #expect(shown(.jsonl) == "{\"id\":1,\"login\":\"ada\"}\n")
        #expect(shown(.jsonl, ["refusal", "id"]) == "{\"refusal\":null,\"id\":1}\n")
        #expect(shown(.csv, ["login"]) == "login\nada\n")
        #expect(shown(.table) == "LOGIN  ID\nada     1\n")
        #expect(shown(.table, ["id", "refusal", "login"]) == "ID  REFUSAL  LOGIN\n 1           ada\n")
    }

    @Test("a table fits the terminal that it is printed on")
    func table() {
        let records = [OutputRecord([("text", .text(String(repeating: "x", count: 30)))])]
        let table = Table([TableColumn("text", isElastic: true)], of: records)
        let narrow = RecordWriter(.table, terminal: terminal).bytes(of: records, table: table)
        let shown = Paint.removed(from: String(decoding: narrow, as: UTF8.self))
        #expect(shown == "TEXT\nxxxxxxxxxxxxxxxxxxx…\n")
        let whole = RecordWriter(.table, terminal: pipe).bytes(of: records, table: table)
        #expect(String(decoding: whole, as: UTF8.self) == "TEXT\n\(String(repeating: "x", count: 30))\n")
    }

    @Test("the names of the formats are the values of --format")
    func formats() {
        #expect(OutputFormat.allCases.map(\.rawValue) == ["table", "json", "csv", "jsonl"])
    }
}

import PatchbayGateway
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Tables")
struct TableTests {
    private let columns = [
        TableColumn("login", isElastic: true), TableColumn("name", isElastic: true),
        TableColumn("repos", alignment: .right, field: "repositories"),
        TableColumn("staff") { $0["staff"] == .bool(true) ? "STAFF" : "" },
    ]

    private func record(
        _ login: String, _ name: String?, _ count: Int64, isStaff: Bool = false
    ) -> OutputRecord {
        OutputRecord([
            ("login", .text(login)), ("name", name.map { .text($0) } ?? .null),
            ("repositories", .integer(count)), ("staff", .bool(isStaff)),
        ])
    }

    private var people: Table {
        Table(
            columns,
            of: [
                record("octocat", "The Octocat", 8, isStaff: true),
                record("a-login-as-long-as-they-may-be-39-chars", "Somebody With Four Long Names", 12_345),
                record("tanaka", "田中さん・東京都渋谷区道玄坂一丁目", 3),
                record("evil", "\u{1B}[2J\u{202E}gnp.exe\nroot", 0),
                record("family", "🇩🇪👍🏽 Zoe\u{308}", 1, isStaff: true),
                record("nobody", nil, 0),
            ])
    }

    @Test("in a file or a pipe nothing is cut")
    func notATerminal() {
        #expect(
            people.render(width: nil) == """
                LOGIN                                    NAME                                REPOS  STAFF
                octocat                                  The Octocat                             8  STAFF
                a-login-as-long-as-they-may-be-39-chars  Somebody With Four Long Names       12345
                tanaka                                   田中さん・東京都渋谷区道玄坂一丁目      3
                evil                                     \\u{1B}[2J\\u{202E}gnp.exe\\nroot          0
                family                                   🇩🇪👍🏽 Zoe\u{308}                                1  STAFF
                nobody                                                                           0

                """)
    }

    @Test("on 80 columns the elastic columns shrink")
    func eighty() {
        #expect(
            people.render(width: 80) == """
                LOGIN                             NAME                              REPOS  STAFF
                octocat                           The Octocat                           8  STAFF
                a-login-as-long-as-they-may-be-…  Somebody With Four Long Names     12345
                tanaka                            田中さん・東京都渋谷区道玄坂一…       3
                evil                              \\u{1B}[2J\\u{202E}gnp.exe\\nroot        0
                family                            🇩🇪👍🏽 Zoe\u{308}                              1  STAFF
                nobody                                                                  0

                """)
    }

    @Test("on 40 columns they shrink too, and numbers are not cut")
    func forty() {
        #expect(
            people.render(width: 40) == """
                LOGIN         NAME          REPOS  STAFF
                octocat       The Octocat       8  STAFF
                a-login-as-…  Somebody Wi…  12345
                tanaka        田中さん・…       3
                evil          \\u{1B}[2J\\u…      0
                family        🇩🇪👍🏽 Zoe\u{308}          1  STAFF
                nobody                          0

                """)
    }

    @Test("a terminal that is too narrow still shows eight columns of each text")
    func tooNarrow() {
        let narrow = people.render(width: 10)
        #expect(narrow == people.render(width: 1))
        #expect(
            narrow.hasPrefix(
                """
                LOGIN     NAME      REPOS  STAFF
                octocat   The Oct…      8  STAFF
                a-login…  Somebod…  12345
                tanaka    田中さ…       3

                """))
    }

    @Test("a column that needs little leaves the rest to the others")
    func fairShares() {
        let table = Table(
            [TableColumn("a", isElastic: true), TableColumn("b", isElastic: true)],
            rows: [["short", String(repeating: "y", count: 50)]])
        #expect(table.render(width: 20) == "A      B\nshort  yyyyyyyyyyyy…\n")
    }

    @Test("a wrapping column breaks between words; a path is not broken, so that it can be copied")
    func wrapping() {
        let table = Table(
            [TableColumn("key"), TableColumn("help", wraps: true), TableColumn("more", wraps: true)],
            rows: [
                ["a", "what the key is about", "none"], ["b", "x", "path/without/a/blank"], ["c", "", ""],
            ])
        #expect(
            table.render(width: 24) == """
                KEY  HELP       MORE
                a    what the   none
                     key is
                     about
                b    x          path/without/a/blank
                c

                """)
        #expect(table.render(width: nil).split(separator: "\n").count == 4)
    }

    @Test("a line that is wider than the terminal counts as several rows")
    func rows() {
        let bytes = Array("AB\n12345678901\n\n漢字漢字漢字\n".utf8)
        #expect(DrawnTable.rows(of: bytes, columns: 80) == 4)
        #expect(DrawnTable.rows(of: bytes, columns: 10) == 6)
        #expect(DrawnTable.rows(of: [], columns: 10) == 0)
    }

    @Test("a table without rows shows its titles")
    func empty() {
        #expect(Table(columns, of: []).render(width: 80) == "LOGIN  NAME  REPOS  STAFF\n")
    }

    @Test(
        "no text breaks a line or leaves its column, and no line ends in a space", arguments: [nil, 80, 40])
    func hostile(_ width: Int?) {
        let table = Table(
            [TableColumn("key", isElastic: true), TableColumn("text", isElastic: true)],
            rows: HostileTexts.all.enumerated().map { ["\($0)", $1] })
        let lines = table.render(width: width).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == HostileTexts.all.count + 2)
        for line in lines {
            #expect(TerminalText.width(of: String(line)) <= width ?? .max)
            #expect(!line.hasSuffix(" "))
        }
    }
}

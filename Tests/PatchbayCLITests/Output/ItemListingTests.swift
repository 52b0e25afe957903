import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Rows of any resource as records")
struct ItemListingTests {
    private let people = Resource.sample(DeclaredSample.people)
    private let projects = Resource.sample(DeclaredSample.projects)
    private let changes = Resource.sample(DeclaredSample.changes)

    private func text(_ listing: Listing, width: Int? = nil) -> String { listing.table.render(width: width) }

    private func json(_ listing: Listing) -> String {
        let bytes = RecordWriter(.json).bytes(of: listing, answer: OutputRecord([]))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("badges, favourites and edits of a row have colours, other values have none")
    func roles() {
        let names = ["", "favourite", "name_override", "name"]
        #expect(names.map(Listing.role(ofField:)) == [.notable, .notable, .edited, nil])
    }

    @Test(
        "fields are in the definition's order, edits and details last, and a record has no others")
    func names() {
        let output = ItemRecords(DeclaredSample.people)
        #expect(
            output.names.usual == DeclaredSample.people.fields.map(\.name) + [
                "name_override", "has_detail", "source_state",
            ])
        #expect(
            output.names.more == ["missing_since", "gone_at", "refusal", "refusal_reason", "refused_at"])
        let record = output.record(people.item(["id": .integer(1)]))
        #expect(record.names == output.names.usual && record.more.map(\.name) == output.names.more)
        #expect(record["has_detail"] == .bool(false))
    }

    @Test("a child row has its parent's key in every format except tables, and has no details")
    func child() {
        let output = ItemRecords(DeclaredSample.changes)
        #expect(
            output.names.usual == [
                "sha", "message", "author_name", "author_login", "committer_date", "source_state", "repo_id",
            ])
        #expect(output.names.more == ["missing_since"])
        let item = changes.item(["repo_id": .integer(7), "sha": .text("abc")])
        #expect(json(output.list([item])).contains("\"repo_id\": 7"))
        for format in [OutputFormat.csv, .jsonl] {
            let bytes = RecordWriter(format).bytes(of: output.list([item]), answer: OutputRecord([]))
            #expect(String(decoding: bytes, as: UTF8.self).contains("7"))
        }
        #expect(!text(output.list([item])).contains("7") && !text(output.show(item)).contains("7"))
    }

    @Test(
        "a table has the declared columns: booleans as marks, the first value, up to n characters, one line")
    func columns() {
        let row = projects.item([
            "id": .integer(12), "full_name": .text("a/b"), "private": .boolean(true), "fork": .boolean(false),
            "archived": .boolean(true), "stargazers_count": .integer(5),
            "pushed_at": .time(Timestamp(milliseconds: 0)), "description": .text("one"),
        ])
        #expect(
            text(ItemRecords(DeclaredSample.projects).list([row])) == """
                ID  REPOSITORY  FLAGS             LANGUAGE  STARS  PUSHED                DESCRIPTION
                12  a/b         PRIVATE ARCHIVED                5  1970-01-01T00:00:00Z  one

                """)
        let commit = changes.item([
            "repo_id": .integer(7), "sha": .text("0123456789abcdef"), "author_name": .text("Ada"),
            "message": .text("Begin\n\nmore"),
        ])
        #expect(
            text(ItemRecords(DeclaredSample.changes).list([commit])) == """
                COMMIT      DATE  AUTHOR  MESSAGE
                0123456789        Ada     Begin

                """)
    }

    @Test("a table shows the edit, and a detail shows it below the source's value")
    func edits() {
        let output = ItemRecords(DeclaredSample.people)
        let edited = people.item(
            ["id": .integer(3), "login": .text("ada"), "type": .text("User"), "site_admin": .boolean(true)],
            edits: ["name": "Mine"], hasDetail: true)
        #expect(
            text(output.list([edited])) == """
                ID  LOGIN  TYPE  STAFF  NAME
                 3  ada    User  yes    Mine

                """)
        let shown = output.shownFields(of: edited)
        #expect(shown.map(\.name) == ["", "login", "id", "type", "site_admin", "name", "name_override"])
        #expect(shown.map(\.value) == ["STAFF", "ada", "3", "User", "true", "", "Mine"])
        #expect(text(output.show(edited)).hasPrefix("FIELD          VALUE\n               STAFF\n"))
    }

    @Test(
        "rows that the source no longer lists, lacks or refuses are recognisable in every format, in any batch"
    )
    func sourceStates() {
        let output = ItemRecords(DeclaredSample.people), time = Timestamp(milliseconds: 1_000)
        func row(_ id: Int64, noting: (inout ItemState) -> Void) -> Item {
            people.item(["id": .integer(id), "login": .text("u\(id)")], noting: noting)
        }
        let plain = [row(1) { _ in }]
        let noted = [
            row(2) { $0.missingSince = time },
            row(3) { $0.refuse(StoredRefusal(Refusal(.blocked), since: time)) },
            row(4) {
                $0.refuse(StoredRefusal(Refusal(.missing), since: time))
                $0.markGone(at: time)
            },
        ]
        #expect(
            text(output.list(plain + noted)) == """
                ID  LOGIN  TYPE  STAFF  NAME
                 1  u1
                 2  u2                        (missing)
                 3  u3                        (blocked)
                 4  u4                        (gone)

                """)
        // The first batch decides the header and the widths.
        func bytes(_ format: OutputFormat) -> String {
            var writer = ListingWriter(RecordWriter(format))
            let choice = ["login", "source_state"]
            let parts = [plain, noted].map { items in
                let listing = output.list(items)
                return writer.bytes(of: format == .table ? listing : listing.choosing(choice))
            }
            return String(decoding: parts.joined(), as: UTF8.self)
        }
        #expect(bytes(.csv) == "login,source_state\nu1,\nu2,missing\nu3,blocked\nu4,gone\n")
        #expect(bytes(.jsonl).hasSuffix(#"{"login":"u4","source_state":"gone"}"# + "\n"))
        #expect(
            bytes(.table) == """
                ID  LOGIN  TYPE  STAFF  NAME
                 1  u1
                 2  u2                        (missing)
                 3  u3                        (blocked)
                 4  u4                        (gone)

                """)
        #expect(
            text(output.show(noted[2])).contains(
                "gone_at        1970-01-01T00:00:01Z\nrefusal        missing\n"))
    }

    @Test("a column of states takes no room from the others while no row has one")
    func roomOfSourceStates() {
        let output = ItemRecords(DeclaredSample.people), name = String(repeating: "n", count: 40)
        let item = people.item(["id": .integer(1), "login": .text("u"), "name": .text(name)])
        let lines = text(output.list([item]), width: 40).split(separator: "\n")
        #expect(lines.map { TerminalText.width(of: String($0)) }.max() == 40, "\(lines)")
    }

    @Test("favourites and the origin of search results are separate fields")
    func additions() {
        let output = ItemRecords(DeclaredSample.people)
        let rows = (1...2).map { people.item(["id": .integer($0), "login": .text("u\($0)")]) }
        let marked = output.list(rows, added: .favourites([.integer(2)]))
        #expect(
            text(marked).contains("FAVOURITE\n") && text(marked).contains("u2")
                && text(marked).hasSuffix("yes\n"))
        #expect(marked.names.usual.last == "favourite" && marked.records[0]["favourite"] == .bool(false))
        let found = output.list(rows, foundBy: .local)
        #expect(found.records[0]["found_by"] == .text("local") && output.foundNames.usual.last == "found_by")
    }

    @Test(
        "JSON is a value in JSON and a text elsewhere; a list of texts has spaces; numbers keep their digits")
    func jsonValues() {
        let output = ItemRecords(DeclaredSample.projects)
        func listing(_ topics: String, _ share: Double = 0.5) -> Listing {
            output.list([
                projects.item(["id": .integer(1), "topics": .json(topics), "share": .real(share)])
            ]).choosing(["topics", "share"])
        }
        #expect(
            json(listing(#"["a","b c"]"#)).contains("\"topics\": [\n        \"a\",\n        \"b c\"\n      ]")
        )
        #expect(text(listing(#"["a","b c"]"#)).contains("a b c"))
        let odd = listing(#"{"n":123456789012345678901234567890,"t":"\u001b"}"#)
        #expect(json(odd).contains("123456789012345678901234567890") && !json(odd).contains("\u{1B}"))
        #expect(text(odd).contains(#"{"n":1234"#))
        #expect(json(listing("no JSON")).contains("\"no JSON\""))
        #expect(json(listing("[", .infinity)).contains("\"share\": \"Infinity\""))
    }

    @Test(
        "hostile texts reach no table as control characters",
        arguments: ["\u{1B}[2J", "a\nb", "\u{202E}x", "\u{9B}m"])
    func hostile(_ value: String) {
        let output = ItemRecords(DeclaredSample.people)
        let item = people.item(
            ["id": .integer(1), "login": .text(value), "type": .text(value)], edits: ["name": value],
            hasDetail: true)
        for table in [text(output.list([item])), text(output.show(item), width: 30)] {
            #expect(!table.unicodeScalars.contains("\u{1B}") && !table.contains("\u{9B}"))
            #expect(!table.unicodeScalars.contains("\u{202E}"))
        }
        #expect(text(output.list([item])).split(separator: "\n").count == 2)
    }

    @Test("without columns the handle comes first, then the titles and some other fields")
    func defaults() {
        var plain = DeclaredSample.people
        plain.columns = []
        let names = ItemColumns(plain).declared.flatMap(\.fields)
        #expect(names == ["login", "name", "id", "avatar_url", "url", "html_url"])
        // Key and handle are never cut.
        let elastic = ItemColumns(plain).columns.filter(\.isElastic).map(\.title)
        #expect(elastic == ["name", "avatar url", "url", "html url"])
        #expect(ItemColumns(DeclaredSample.changes).favouriteFields == ["repo_id", "sha", "message"])
    }
}

import PatchbayCore
import PatchbayDomain
import Testing

@Suite("A resource and its columns")
struct ResourceTests {
    private func declaration(_ fields: [FieldDeclaration], key: [String] = ["id"]) -> ResourceDeclaration {
        ResourceDeclaration("rows", fields: fields, key: key, lists: [])
    }

    private let id = FieldDeclaration("id", .integer), name = FieldDeclaration("name", .text)
    private let at = FieldDeclaration("made_at", .time)

    private func columns(_ resource: Resource) -> [String] {
        resource.collection.fields.map(\.name).filter { !ItemState.names.contains($0) }
    }

    @Test(
        "a definition is doubted if rows that leave the list of a parent stay listed",
        arguments: [
            ("lines.key-scope = api", true), ("lines.key-scope = api\nlines.within = page", false),
            ("lines.key-scope = api\nlines.key = page id", false),
            ("lines.path = /lines\nlines.key-scope = api", false),
        ])
    func withinDoubt(_ lines: String, _ isDoubted: Bool) throws {
        let path = lines.contains("lines.path") ? "" : "lines.path = /pages/{pages.id}/lines\n"
        let page = lines.contains("lines.path") ? "page" : "{pages.id}"
        let text = """
            api = x
            base-url = https://api.example.org
            pages.path = /pages
            pages.key = id
            pages.field.id = text
            \(path)lines.field.id = text
            lines.field.page = text \(page)
            \(lines.contains("lines.key =") ? "" : "lines.key = id\n")\(lines)

            """
        let doubts = try doubts(text)
        #expect(doubts.map(\.key) == (isDoubted ? ["lines.key-scope"] : []))
        #expect(doubts.allSatisfy { $0.doubt.contains("lines.within = FIELD") })
    }

    @Test(
        "a definition is doubted if rows that leave the list of an argument stay listed",
        arguments: [
            ("lines.key = page id", nil), ("lines.key = id page", "lines.key"),
            ("lines.key = id page\nlines.within = page", nil),
            ("lines.key = id\nlines.key-scope = api", "lines.key-scope"),
            ("lines.key = page id\nlines.path.more = /more/{page}", nil),
            ("lines.key = id", "lines.key"),
        ] as [(String, String?)])
    func withinDoubt(_ lines: String, _ doubted: String?) throws {
        let doubts = try doubts(
            """
            api = x
            base-url = https://api.example.org
            lines.path = /pages/{page}/lines
            lines.field.id = text
            lines.field.page = text {page}
            \(lines)

            """)
        #expect(doubts.map(\.key) == (doubted.map { [$0] } ?? []))
        let isKey = lines == "lines.key = id"
        #expect(doubts.allSatisfy { $0.doubt.contains("lines.within = FIELD") != isKey })
    }

    private func doubts(_ text: String) throws -> [(key: String, doubt: String)] {
        let (definition, faults) = Definition.reading(path: "", bytes: Array(text.utf8))
        #expect(faults.isEmpty, "\(faults)")
        return try #require(definition).doubts
    }

    @Test(
        "the advice about a key that two lists share can be followed",
        arguments: [
            (
                "lines.path = /pages/{pages.id}/lines",
                "; add a field of the parent such as lines.field.pages-id"
            ),
            (
                "lines.path = /pages/{pages.id}/lines\nlines.field.page = text {pages.id}",
                "; name page in the key"
            ),
            ("lines.path = /lines?kind={kind}", "; add lines.field.kind = text {kind} and name it"),
            (
                "lines.path = /lines?kind={kind}\nlines.search = /search?q={text}",
                "; state that the key is unique"
            ),
        ])
    func keyDoubt(_ lines: String, _ advice: String) throws {
        let text = """
            api = x
            base-url = https://api.example.org
            pages.path = /pages
            pages.key = id
            pages.field.id = text
            lines.key = id
            lines.field.id = text
            \(lines)

            """
        let doubts = try doubts(text).map(\.doubt)
        #expect(doubts.contains { $0.contains(advice) }, "\(doubts)")
    }

    @Test("the columns are notes, then fields, then edits and folded titles")
    func layout() throws {
        var rows = declaration([id, name, at])
        (rows.editable, rows.title) = (["name"], ["name"])
        let resource = try Resource(rows, api: "api")
        #expect(resource.collection.name == "api_rows")
        #expect(Array(resource.collection.fields.prefix(ItemState.fields.count)) == ItemState.fields)
        #expect(columns(resource) == ["id", "name", "made_at_ms", "name_override", "name_folded"])
        #expect(resource.field(spelled: "madeAt") == resource.field(named: "made_at"))
        #expect(CollectionSchema(definition: resource.collection.definition) == resource.collection)
    }

    @Test("a stored collection keeps the order of its columns, and new fields come after them")
    func added() throws {
        let stored = try Resource(declaration([id, name]), api: "api").collection
        let resource = try Resource(declaration([at, name, id]), api: "api", stored: stored)
        #expect(columns(resource) == ["id", "name", "made_at_ms"])
        #expect(resource.fields.map(\.name) == ["made_at", "name", "id"])
        #expect(resource.collection.fields[resource.fields[0].position].name == "made_at_ms")
        #expect(try resource.collection.migration(from: stored).addedFields.map(\.name) == ["made_at_ms"])
    }

    @Test(
        "lists whose arguments differ only in letter case are the same only if the API ignores case",
        arguments: [false, true])
    func letterCase(_ ignoresCase: Bool) throws {
        var rows = declaration([id, name])
        rows.ignoresCase = ignoresCase
        let resource = try Resource(rows, api: "api")
        let names = ["Ada", "ADA"].map { ListQuestion(resource, arguments: [$0]).name }
        #expect((names[0] == names[1]) == ignoresCase)
    }

    @Test("only a boolean is found with \"is\" before its name")
    func booleans() throws {
        let resource = try Resource(
            declaration([id, name, FieldDeclaration("private", .boolean)]), api: "api")
        #expect(resource.field(spelled: "isPrivate")?.name == "private")
        #expect(resource.field(spelled: "isName") == nil)
    }

    @Test("a removed field keeps its column")
    func removed() throws {
        let stored = try Resource(declaration([id, name, at]), api: "api").collection
        let resource = try Resource(declaration([id, at]), api: "api", stored: stored)
        #expect(columns(resource) == ["id", "name", "made_at_ms"])
        #expect(resource.field(named: "name") == nil)
    }

    @Test("a field of another type, and another key, are refused with advice")
    func changed() throws {
        let stored = try Resource(declaration([id, name]), api: "api").collection
        for other in [
            declaration([id, FieldDeclaration("name", .integer)]), declaration([id, name], key: ["name"]),
        ] {
            let error = #expect(throws: PatchbayError.self) {
                try Resource(other, api: "api", stored: stored)
            }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("sync it into a new storage") == true)
        }
    }

    @Test(
        "a key is read back from one word, whatever its text contains",
        arguments: ["a", "a/b", "50% off", "", " ", "\u{7F}\n", "é/ü", "%2F", "\u{301}e"])
    func keyText(_ text: String) throws {
        let resource = try Resource(declaration([id, name], key: ["id", "name"]), api: "api")
        let key = Key.compound([.integer(-7), .text(text)])
        let word = KeyText(key).text
        #expect(!word.contains { $0.isWhitespace })
        #expect(KeyText.key(word, of: resource) == key)
        var builder = ItemBuilder()
        builder.begin(resource)
        builder.set(resource.key[0], .integer(-7))
        builder.set(resource.key[1], .text(text))
        let item = try builder.finish(), encoded = text.utf8.map { "%" + String($0, radix: 16) }
        #expect(item.isCalled(word) && !item.isCalled("-8/a"))
        if text.utf8.allSatisfy({ $0 >= 0x10 }) { #expect(item.isCalled("-7/" + encoded.joined())) }
    }

    @Test("two encodings of a character are different keys")
    func encodings() {
        let words: Set = [KeyText("caf\u{E9}"), KeyText("cafe\u{301}"), KeyText("cafe\u{301}")]
        #expect(words.count == 2)
    }

    @Test("a word that is not the text of a key names no row", arguments: ["", "7", "x/a", "7/a/b", "7/%zz"])
    func noKey(_ word: String) throws {
        let resource = try Resource(declaration([id, name], key: ["id", "name"]), api: "api")
        #expect(KeyText.key(word, of: resource) == nil)
    }

    @Test("a template names its arguments once, in order, and inserts values unchanged")
    func template() {
        let template = Template([
            .literal("/"), .parameter(.argument("b")), .literal("/"), .parameter(.argument("a")),
            .literal("/"), .parameter(.argument("b")), .literal("?since="), .parameter(.after),
            .literal("&of="), .parameter(.field(resource: "others", field: "made_at")),
        ])
        #expect(template.arguments == ["b", "a"])
        #expect(template.description == "/{b}/{a}/{b}?since={after}&of={others.made-at}")
        let text = template.expanded { if case .argument(let name) = $0 { "<\(name)>" } else { "-" } }
        #expect(text == "/<b>/<a>/<b>?since=-&of=-")
    }

    @Test(
        "an item with a value of another type than its field is refused",
        arguments: [
            ("name", .integer(7), "rows.name is an integer; text is wanted"),
            ("made_at", .text("7"), "rows.made_at is a text; time is wanted"),
            ("id", .real(1), "rows.id is a real; integer is wanted"),
        ] as [(String, ItemValue, String)])
    func misfit(_ name: String, _ value: ItemValue, _ message: String) throws {
        let resource = try Resource(declaration([id, self.name, at]), api: "api")
        func item(_ name: String, _ value: ItemValue) throws -> Item {
            var builder = ItemBuilder()
            builder.begin(resource)
            builder.set(resource.key[0], .integer(7))
            builder.set(try #require(resource.field(named: name)), value)
            return try builder.finish()
        }
        let error = #expect(throws: PatchbayError.self) { try item(name, value) }
        #expect(error?.code == .invalidValue && error?.message == message)
        #expect(try item("made_at", .time(Timestamp(milliseconds: 1))).keyText == "7")
    }

    @Test(
        "a path in JSON is written as it was read",
        arguments: [".", "a", "a/b", "a/*/b", "a~1b/c~0d", "Due%20Date"])
    func path(_ text: String) {
        #expect(JSONPath(text)?.description == text)
    }

    @Test(
        "a path with an empty step or an unknown escape is refused",
        arguments: ["", "/", "a//b", "a~2", "a~", "50%", "%zz", "%FF"])
    func noPath(_ text: String) {
        #expect(JSONPath(text) == nil)
    }

    @Test("a path can name any member, with the bytes of its name percent-encoded where necessary")
    func members() {
        for name in ["Due Date", "@odata.etag", "a/b", "*", ".", "50%", "%20", "{x}", "~1", "\n", "é"] {
            let path = JSONPath([.member("a"), .member(name)])
            #expect(JSONPath(path.description) == path)
            #expect(JSONPath(JSONPath([.member(name)]).description)?.steps == [.member(name)])
            #expect(!path.description.contains { $0.isWhitespace })
        }
        #expect(JSONPath("a%2Fb/%2a/%7E0")?.steps == [.member("a/b"), .member("*"), .member("~0")])
    }

    @Test("only a path with a star matches many places")
    func many() {
        #expect(JSONPath("a/*")?.isMany == true && JSONPath("a")?.isMany == false)
        #expect(JSONPath("a~1b")?.steps == [.member("a/b")] && JSONPath(".") == .whole)
    }
}

import CPlatform
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("reading definitions")
struct DefinitionTests {
    private static let start = "api = x\nusers.path = /users\nusers.key = id\nusers.field.id = integer\n"

    /// A name that is valid alone, but not with a prefix or suffix.
    private static let long = String(repeating: "a", count: 47)

    /// Each broken line, which becomes the fifth, and its message.
    static let broken: [(String, String)] = [
        (
            "users.feild.name = text",
            "users.feild.name: is not a key of a definition; remove or correct it"
        ),
        (
            "bas-url = https://x.example",
            "bas-url: is not a key of a definition (did you mean \"base-url\"?); remove or correct it"
        ),
        (
            "users.field.name = txt",
            "users.field.name: \"txt\" is not one of text, integer, real, boolean, time, json (did you mean \"text\"?)"
        ),
        (
            "users.field.name = text a//b",
            "users.field.name: \"a//b\" is not a path; write member names with slashes between them, "
                + "such as response_metadata/next_cursor"
        ),
        (
            "users.field.i-d = integer",
            "users.field.i-d: differs from id only in hyphens; choose another name"
        ),
        (
            "users.field.gone-at = time",
            "users.field.gone-at: the gateway itself uses the column gone_at_ms; choose another name"
        ),
        (
            "users.field.has-detail = boolean",
            "users.field.has-detail: Patchbay itself adds has_detail to rows; choose another name"
        ),
        (
            "users.field.refused-at = text",
            "users.field.refused-at: Patchbay itself adds refused_at to rows; choose another name"
        ),
        (
            "users.field.id-override = text",
            "users.field.id-override: the column id_override belongs to the field id; choose another name"
        ),
        ("users.title = nmae", "users.title: users has no field \"nmae\"; declare it"),
        ("users.title = id", "users.title: the field id is integer; it must be text"),
        (
            "users.next = curser a b",
            "users.next: \"curser a b\" (did you mean \"cursor\"?) is not one of link, none, url PATH, "
                + "cursor PARAM PATH [alone], last PARAM FIELD [included], page PARAM [FIRST], "
                + "offset PARAM"
        ),
        (
            "users.next = last after sort\nusers.field.sort = json",
            "users.next: the field sort is json; it must be integer or text"
        ),
        (
            "users.end = emtpy",
            "users.end: \"emtpy\" (did you mean \"empty\"?) does not end a list; write empty, PATH"
        ),
        (
            "users.fresh = 5 minutes",
            "users.fresh: \"5 minutes\" is not an age; write a number with s, m, h or d, such as 5m, or forever"
        ),
        ("rate = 20", "rate: \"20\" is not a rate; write N/second, N/minute or N/hour, such as 20/minute"),
        (
            "users.show = /users/{login}",
            "users.show: {login} has no value here; this address takes {handle} or {key} only"
        ),
        (
            "users.search-rows = items",
            "users.search-rows: there is no search; add users.search = /PATH?q={text}"
        ),
        (
            "header.authorization = Bearer s3cret",
            "header.authorization: the header authorization carries a secret, which a definition must not hold; "
                + "describe it with auth and set source.token"
        ),
        (
            "base-url = https://ada:s3cret@x.example",
            "base-url: the address contains a user name or a password; remove it, and set source.token"
        ),
        (
            "header.x-team = xoxb-123456789012-s3cret",
            "header.x-team: the value looks like a secret, which a definition must not hold; set source.token instead"
        ),
        (
            "header.x-team = xoxb%2D123456789012-s3cret",
            "header.x-team: the value looks like a secret, which a definition must not hold; set source.token instead"
        ),
        (
            "posts.path = /users/{user.id}/posts",
            "posts.path: there is no resource \"user\" (did you mean \"users\"?); add it, or correct the name"
        ),
        (
            "auth = token",
            "auth: \"token\" is not one of bearer, basic, header NAME [PREFIX], query NAME, none"
        ),
        (
            "auth = header Authorization Token token=",
            "auth: \"header Authorization Token token=\" has a text before the token that is not one word; write it in "
                + "quotes, with a space at its end if there is one: header Authorization \"Token token=\""
        ),
        (
            "users.path.more = /more?since={after}",
            "users.path.more: has {after}, but the list has no order; add users.order = FIELD"
        ),
        (
            "users.order = id",
            "users.order: is for a list that can be entered anywhere; add {after} to users.path, or remove this line"
        ),
        (
            "users.rows = 1:/data",
            "users.rows: \"1:/data\" has 1: where it has no meaning, because it ends a path to rows; write 1%3A for "
                + "a member with this name"
        ),
        ("users.field.a = text 1:", "users.field.a: \"1:\" has 1: where it has no meaning"),
        ("users.field.a = text @place", "users.field.a: @place is a number; write integer @place"),
        (
            "users.field.a = time @key",
            "users.field.a: @key is a member's name; write text @key, or integer @key for numbers"
        ),
        (
            "users.search-next = page page",
            "users.search-next: there is no search; add users.search = /PATH?q={text}"
        ),
        (
            "\(long).path = /x\n\(long).key = id\n\(long).field.id = integer",
            "\(long): the name of its collection, x_\(long), has more than 48 bytes; shorten this name or api, to "
                + "47 bytes together"
        ),
        (
            "users.field.\(long) = time",
            "users.field.\(long): the name of its column or index \(long)_ms has more than 48 bytes; shorten "
                + "this name to 45 bytes"
        ),
        (
            "users.field.\(long) = text\nusers.title = \(long)",
            "users.field.\(long): the name of its column or index by_\(long)_folded has more than 48 bytes; shorten "
                + "this name to 38 bytes"
        ),
        (
            "users.field.\(long) = text\nusers.edit = \(long)",
            "users.field.\(long): the name of its column or index \(long)_override has more than 48 bytes; shorten "
                + "this name to 39 bytes"
        ),
        (
            "users.field.\(long) = text\nusers.handle = \(long)",
            "users.field.\(long): the name of its column or index by_\(long) has more than 48 bytes; shorten "
                + "this name to 45 bytes"
        ),
        (
            "users.end = 409 is empty",
            "users.end: contains the text of an error; state where errors have it: error.text = PATH"
        ),
        (
            "users.field.full_name = text",
            "expected \"key = value\", with hyphens in the key in place of underscores"
        ),
        ("header.X-Team = a", "expected \"key = value\", with the key in lower case"),
        ("error.oops = x", "error.oops: is not a key of a definition; remove or correct it"),
    ]

    @Test("a fault names its line, its key and the correct form", arguments: broken)
    func faults(_ line: String, _ message: String) {
        let (definition, faults) = Definition.reading(path: "x.conf", bytes: Array((Self.start + line).utf8))
        #expect(definition == nil)
        #expect(faults.map(\.message).contains { $0.hasPrefix(message) }, "\(faults.map(\.message))")
        #expect(faults.allSatisfy { $0.code == .invalidConfiguration })
        #expect(faults.contains { $0.file == "x.conf" && $0.line == 5 })
        #expect(!faults.contains { $0.description.contains("s3cret") })
    }

    @Test("all faults are reported together, in the order of lines")
    func all() {
        let text =
            "users.path = users\nusers.key = id name\nrate = fast\nusers.field.name = json\ncase = maybe"
        let faults = Definition.reading(path: "x.conf", bytes: Array(text.utf8)).faults
        #expect(
            faults.map(\.details) == [1, 1, 2, 2, 3, 5].map { [.at(.file(path: "x.conf", line: $0))] })
        #expect(faults.map(\.message).contains("users.key: users has no field \"id\"; declare it"))
        #expect(
            faults.map(\.message).contains("users.key: the field name is json; it must be integer or text"))
    }

    @Test("bytes that are not text are one fault")
    func notText() {
        let faults = Definition.reading(path: "x.conf", bytes: [0x61, 0xFF]).faults
        #expect(faults.map(\.message) == ["the configuration is not UTF-8 text"])
    }

    @Test("the digits of an encoded character do not make the words beside it look like a secret")
    func encodedCharacters() {
        let line =
            "header.x-scope = shops.read%2Crestrictions.read%2Cattachments-of-all-orders.read"
        #expect(Definition.reading(path: "x.conf", bytes: Array((Self.start + line).utf8)).faults.isEmpty)
    }

    @Test("a resource may have the name of a command", arguments: ["list", "sync", "help", "favourites"])
    func commandName(_ name: String) {
        let text = Self.start + "\(name).path = /rows\n\(name).key = id\n\(name).field.id = integer"
        let (definition, faults) = Definition.reading(path: "x.conf", bytes: Array(text.utf8))
        #expect(faults.isEmpty, "\(faults.map(\.message))")
        #expect(definition?.resources.map(\.name).contains(name) == true)
    }

    @Test("parents must not form a cycle")
    func circle() {
        let text = """
            api = x
            a.path = /{b.id}/a
            a.key = id
            a.field.id = integer
            b.path = /{a.id}/b
            b.key = id
            b.field.id = integer
            """
        let faults = Definition.reading(path: "x.conf", bytes: Array(text.utf8)).faults
        #expect(
            faults.map(\.message) == [
                "a.path: the parents form a circle: a needs b needs a; give one of them a list without a parent"
            ])
    }

    @Test("more columns than a collection has are refused")
    func columns() {
        let fields = (1...40).map { "users.field.f\($0) = text" }.joined(separator: "\n")
        let faults = Definition.reading(path: "x.conf", bytes: Array((Self.start + fields).utf8)).faults
        #expect(faults.count == 1)
        #expect(faults.first?.message.contains("needs 50 columns") == true)
    }

    @Test("values of the grammar are parsed")
    func values() throws {
        let text =
            Self.start + """
                rate = 20/minute
                auth = header PRIVATE-TOKEN Token
                error = not ok
                error.text = error errors/*/message
                error.restart = invalid_cursor 409
                users.noun = person people
                users.path.org = /orgs/{org}/users
                users.handle = full-name OWNER/NAME
                users.field.full-name = text:100? name/full
                users.columns = id full-name:the_name a|b:flags
                users.field.a = boolean
                users.field.b = boolean
                users.end = empty not has_more 409 is Empty
                users.next = cursor c meta/next alone
                users.since = since updated seconds
                users.field.updated = time
                users.fresh = 5m
                users.index.by-a = a full-name:nocase
                users.search = /find?q={text}
                users.search-cap = 1000 422 Only the first
                users.search-next = cursor * continue
                """
        let definition = try Definition(ConfigurationFile(path: "x.conf", bytes: Array(text.utf8)))
        let users = try #require(definition.resource(named: "users"))
        #expect(definition.pace == Pace(20, per: .seconds(60)))
        #expect(definition.authorization == .header(name: "PRIVATE-TOKEN", prefix: "Token "))
        #expect(definition.errors.meaning(of: "409") == .restart)
        #expect((users.singular, users.plural) == ("person", "people"))
        #expect(users.lists.map(\.name) == [nil, "org"])
        #expect(users.handle == HandleDeclaration("full_name", parts: ["OWNER", "NAME"]))
        let name = try #require(users.fields.first { $0.name == "full_name" })
        #expect(name.isLenient && name.bytesMax == 100)
        #expect(users.columns.map(\.title) == ["id", "the name", "flags"])
        #expect(users.end.isEmptyPage && users.end.status == 409 && users.end.text == "is empty")
        #expect(users.paging == .cursor(parameter: "c", JSONPath("meta/next")!, isAlone: true))
        #expect(users.search?.paging == .cursor(parameter: nil, JSONPath("continue")!, isAlone: false))
        #expect(users.since == SinceDeclaration(parameter: "since", field: "updated", form: .seconds))
        #expect(users.fresh == .seconds(300))
        #expect(
            users.indexes == [IndexDeclaration("by_a", [("a", false), ("full_name", true)])])
        #expect(users.search?.cap == 1_000 && users.search?.end.text == "only the first")
    }

    @Test("the fingerprint changes with what is requested and decoded, not with what is shown")
    func fingerprint() throws {
        func fingerprint(_ lines: String...) throws -> String {
            let first = ["api = x", "users.path = /users", "users.key = id", "users.field.id = integer"]
            let text = (first + lines).map { $0 + "\n" }.joined()
            return try Definition(ConfigurationFile(path: "x.conf", bytes: Array(text.utf8))).resources[0]
                .fingerprint
        }
        let name = "users.field.name = text", first = try fingerprint(name)
        #expect(first.count == 8)
        let shown = try fingerprint(
            "# A comment.", name, "users.edit = name", "users.columns = id:ID", "summary = X",
            "rate = 20/minute", "check = /status", "users.title = name", "users.find = name",
            "users.index.by-name = name")
        #expect(shown == first)
        for line in [
            "users.field.name = text note", "users.field.name = text:10", name + "\nusers.detail.bio = text",
            name + "\nusers.next = page p", name + "\nusers.path.org = /orgs/{org}/users",
            name + "\nauth = bearer", name + "\nheader.x-tenant = a", name + "\nerror = error",
        ] {
            #expect(try fingerprint(line) != first, "\(line)")
        }
    }

    private static let related: String = """
        api = x
        teams.path = /teams
        users.path = /teams/{teams.id}/users
        marks.path = /users/{users.id}/marks
        notes.path = /notes

        """
        + ["teams", "users", "marks", "notes"].map {
            "\($0).key = id\n\($0).field.id = integer\n\($0).field.name = text\n"
        }.joined()

    @Test(
        "a change of a resource changes its fingerprint and those of resources below it",
        arguments: [
            ("marks.next = page page", ["marks"]), ("users.total = count", ["users", "marks"]),
            ("teams.field.site = text", ["teams", "users", "marks"]), ("notes.title = name", []),
            ("groups.path = /groups\ngroups.key = id\ngroups.field.id = integer", []),
            ("auth = bearer", ["teams", "users", "marks", "notes"]),
        ])
    func family(_ line: String, _ changed: [String]) throws {
        func resources(_ text: String) throws -> [ResourceDeclaration] {
            try Definition(ConfigurationFile(path: "x.conf", bytes: Array(text.utf8))).resources
        }
        let pairs = zip(try resources(Self.related), try resources(Self.related + line))
        #expect(pairs.filter { $0.fingerprint != $1.fingerprint }.map(\.0.name) == changed)
    }

    @Test(
        "a resource may have the name of a key of the API", arguments: ["hosts", "rate", "check", "summary"])
    func keyOfAPI(_ name: String) throws {
        func fingerprint(_ line: String) throws -> String? {
            let lines = "\(name).path = /x\n\(name).key = id\n\(name).field.id = integer\n"
            let text = Self.related + lines + line
            let file = try ConfigurationFile(path: "x.conf", bytes: Array(text.utf8))
            return try Definition(file).resources.first { $0.name == name }?.fingerprint
        }
        #expect(try fingerprint("") != fingerprint("\(name).field.state = text"))
    }

    @Test("an answer is validated again after a change of another resource, but not after one of its own")
    func validatedAgain() async throws {
        let network = ScriptedNetworking { request, _, _ in
            let isKnown = request.headerFields[.ifNoneMatch] == "\"a\""
            return isKnown ? Response(304, [], "") : Response(200, [("ETag", "\"a\"")], "[]")
        }
        func ask(_ line: String, _ validator: Validator) async throws -> Fetched<ItemPage> {
            let bench = try Bench(Self.related + line, network)
            let request = try ItemRequest(ListQuestion(bench.resource("notes")))
            let feed = try #require(bench.source.feed)
            return try await feed.page(request, ifChangedFrom: validator)
        }
        guard case .changed(_, let validator) = try await ask("", Validator()) else {
            Issue.record("nothing was stored before")
            return
        }
        guard case .unchanged = try await ask("users.next = page page", validator) else {
            Issue.record("a change of users is not one of notes")
            return
        }
        guard case .changed = try await ask("notes.next = page page", validator) else {
            Issue.record("a change of notes is one")
            return
        }
    }

    @Test(
        "all drafts are accepted",
        .enabled(
            if: unsafe access(shared + "/definitions", R_OK) == 0,
            "needs the shared folder; set PATCHBAY_SHARED"),
        arguments: [
            "github", "gitlab", "hackernews", "mastodon", "placeholder", "playground", "pypi", "slack",
        ])
    func drafts(_ name: String) throws {
        let path = "\(shared)/definitions/\(name).conf"
        let file = try unsafe #require(fopen(path, "r"))
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        unsafe bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        let (definition, faults) = Definition.reading(path: path, bytes: bytes)
        #expect(faults.map(\.description) == [])
        for declaration in definition?.resources ?? [] { _ = try Resource(declaration, api: name) }
    }
}

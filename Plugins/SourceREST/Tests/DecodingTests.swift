import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("JSON as rows of a resource")
struct DecodingTests {
    private static let all = """
        api = x
        rows.path = /rows
        rows.next = none
        rows.key = id
        rows.field.id = integer
        rows.field.name = text
        rows.field.short = text:4
        rows.field.lenient = integer?
        rows.field.rate = real
        rows.field.flag = boolean
        rows.field.at = time
        rows.field.tags = json tags/*
        rows.field.words = text tags/*
        rows.field.raw = json
        rows.field.inner = text owner/profile/name
        rows.field.first = text list/0
        rows.field.owner = json
        rows.field.place = integer @place
        rows.detail.bio = text

        """

    private func items(_ body: String, _ text: String = all) async throws -> [Item] {
        try await Bench(text, ScriptedNetworking(200, [], body)).items()
    }

    private func page(_ body: String, _ text: String) async throws -> ItemPage {
        let bench = try Bench(text, ScriptedNetworking(200, [], body))
        return try #require(try await bench.pages(ListQuestion(bench.resource())).first)
    }

    @Test("quoted texts of a server keep visible characters and replace unseen ones")
    func quotation() {
        let text = "a\n\u{1B}\u{202E}\u{3164}\u{FFFE}\u{600}\u{E000}é"
        #expect(Quotation.plain(text) == "a \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{600}\u{E000}é")
    }

    @Test("values of every type are read from any depth")
    func types() async throws {
        let body = #"""
            [{"id": 9007199254740993, "name": "a\u0000b", "short": "aé😀", "lenient": "x", "rate": 1.5, "flag": true,
              "at": "2015-06-14T14:38:05.875222Z", "tags": ["a", "b"], "raw": {"x": [ 1, "a b" ]},
              "owner": {"profile": {"name": "n"}}, "list": ["first", 2], "unknown": [{}]},
             {"id": 2, "at": 1502138686, "tags": [], "owner": null}, {"id": 3, "at": 1502138686000}]
            """#
        let items = try await items(body)
        let first = try #require(items.first)
        #expect(first["id"] == .integer(9_007_199_254_740_993))
        #expect(first["name"] == .text("a\u{FFFD}b") && first["short"] == .text("aé"))
        #expect(first["lenient"] == nil && first["rate"] == .real(1.5) && first["flag"] == .boolean(true))
        #expect(first["at"] == .time(Timestamp(milliseconds: 1_434_292_685_875)))
        #expect(first["tags"] == .json(#"["a","b"]"#) && first["words"] == .text("a b"))
        #expect(first["raw"] == .json(#"{"x":[1,"a b"]}"#) && first["inner"] == .text("n"))
        #expect(first["first"] == .text("first") && first["owner"] == .json(#"{"profile":{"name":"n"}}"#))
        #expect(items.map { $0["place"] } == [.integer(0), .integer(1), .integer(2)])
        #expect(items[1]["at"] == .time(Timestamp(milliseconds: 1_502_138_686_000)))
        #expect(items[1]["at"] == items[2]["at"])
        #expect(items[1]["tags"] == .json("[]") && items[2]["tags"] == nil)
        #expect(items[1]["owner"] == nil && items[1]["inner"] == nil)
    }

    @Test("a page counts the values that became null because of their type, by field")
    func emptied() async throws {
        let text = """
            api = x
            rows.path = /rows
            rows.next = none
            rows.key = id
            rows.field.id = integer
            rows.field.count = integer?
            rows.field.at = time?
            rows.field.owner = text owner/login
            rows.field.other = text?

            """
        let body = #"""
            [{"id": 1, "count": 47.5, "at": "yesterday", "owner": "bob"},
             {"id": 2, "count": "many", "at": null, "owner": null},
             {"id": 3, "count": 47.0, "at": "2026-11-28t10:00:00z", "owner": {"login": "bob"}, "other": "x"},
             {"id": 4, "count": "4.7e1", "owner": []},
             {"id": 5, "count": "", "at": ""}]
            """#
        let page = try await page(body, text)
        #expect(page.emptied == ["count": 2, "at": 1, "owner": 1])
        #expect(page.items.map { $0["count"] } == [nil, nil, .integer(47), .integer(47), nil])
        #expect(page.items[2]["at"] == .time(Timestamp("2026-11-28T10:00:00Z")!))
    }

    @Test("a path below a value that ends another path leaves that value as it is")
    func scalarsOnPaths() async throws {
        let text = """
            api = x
            rows.path = /rows
            rows.next = none
            rows.key = id
            rows.field.id = integer
            rows.field.kind = text
            rows.field.words = json */words/*
            rows.field.owner = json
            rows.field.owner-name = text owner/name

            """
        let body = #"[{"id": 1, "kind": "a", "a": {"words": ["x", "y"]}, "owner": "ann"}, {"id": 2}]"#
        let page = try await page(body, text)
        #expect(page.items.map { $0["kind"] } == [.text("a"), nil])
        #expect(page.items[0]["words"] == .json(#"["x","y"]"#) && page.items[0]["owner"] == .json(#""ann""#))
        #expect(page.items[0]["owner_name"] == nil && page.emptied == ["owner_name": 1])
    }

    @Test("a wildcard includes the elements and the members that have paths of their own")
    func wildcards() async throws {
        let text = """
            api = x
            rows.path = /rows
            rows.key = id
            rows.field.id = integer
            rows.field.first = text prices/0/usd
            rows.field.prices = text prices/*/usd
            rows.field.en = text names/en
            rows.field.names = json names/*

            """
        let body =
            #"[{"id": 1, "prices": [{"usd": "1"}, {"usd": "2"}], "names": {"de": "a", "en": "b", "fr": "c"}}]"#
        let item = try #require(try await items(body, text).first)
        #expect(item["first"] == .text("1") && item["prices"] == .text("1 2"))
        #expect(item["en"] == .text("b") && item["names"] == .json(#"["a","b","c"]"#))
    }

    @Test("a list keeps stored details that are absent, and sets other absent fields to null")
    func known() async throws {
        let items = try await items(#"[{"id": 1}, {"id": 2, "bio": null}, {"id": 3, "bio": "b"}]"#)
        let bio = try #require(items[0].resource.field(named: "bio"))
        let name = try #require(items[0].resource.field(named: "name"))
        #expect(items.map { $0.known.contains(position: bio.place) } == [false, true, true])
        #expect(items.allSatisfy { $0.known.contains(position: name.place) && $0["name"] == nil })
    }

    @Test(
        "the error for an invalid value names row, field and value",
        arguments: [
            (
                #"[{"id": 1}, {"id": "x"}]"#,
                "[1].id: expected a whole number, found a string; ids that are texts need the type \"text\"",
                1, "id", "\"x\""
            ),
            (
                #"[{"id": 1, "flag": 7}]"#, "[0].flag: expected true or false, found a number", 0, "flag",
                "7"
            ),
            (#"[{"name": "n"}]"#, "[0].id: expected a number, found none", 0, "id", nil),
            (
                #"[{"id": 1, "owner": {"profile": {"name": 1}}}]"#,
                "[0].owner.profile.name: expected a string, found a number", 0, "inner", "1"
            ),
            (
                #"[{"id": 1, "at": "today"}]"#,
                "[0].at: expected a date such as 2008-01-14T04:33:35Z, found another text", 0, "at",
                "\"today\""
            ),
            ("<html>", "expected an array, found '<'", nil, nil, nil),
            (#"{"message": "x"}"#, "expected an array, found an object", nil, nil, nil),
        ] as [(String, String, Int?, String?, String?)])
    func faults(_ body: String, _ problem: String, _ row: Int?, _ field: String?, _ value: String?) async {
        let error = await fault { try await items(body) }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.message == Self.unusable + problem)
        #expect(error?.collection == "x_rows")
        #expect(error?.row == row && error?.field == field)
        #expect(error?.note("value") == value)
    }

    @Test(
        "the error for an answer that is not a JSON text states why",
        arguments: [
            ([], "it is not a list of rows: the body is empty"),
            ([0xEF, 0xBB, 0xBF], "it is not a list of rows: the body is empty"),
            (
                Array(#"[{"id": 1, "lenient": "K"#.utf8) + [0xF6] + Array(#"ln"}]"#.utf8),
                "it is not UTF-8 at byte 24 (0xF6)"
            ),
            (Array("[".utf8) + [0xFF], "it is not UTF-8 at byte 1 (0xFF)"),
        ] as [([UInt8], String)])
    func bytes(_ body: [UInt8], _ problem: String) async {
        let error = await fault { try await Self.items(of: body) }
        #expect(error?.code == .invalidResponse && error?.collection == "x_rows")
        #expect(error?.message == "the answer of https://api.example.org/rows cannot be used: \(problem)")
    }

    @Test("a value that is not JSON is an error even where a value of another type becomes null")
    func lenient() async {
        let text = "api = x\nrows.path = /rows\nrows.key = id\nrows.field.id = integer\nrows.field.v = text?"
        let error = await fault { try await items(#"[{"id": 1, "v": "a\q"}]"#, text) }
        #expect(error?.message == Self.unusable + "[0].v: a string contains an unknown escape")
    }

    @Test(
        "a byte order mark is skipped, and a line that keeps web pages from running the JSON",
        arguments: [[0xEF, 0xBB, 0xBF], Array(")]}'\n".utf8), Array(")]}',\r\n".utf8)])
    func preambles(_ bytes: [UInt8]) async throws {
        let items = try await Self.items(of: bytes + Array(#"[{"id": 1, "raw": [2]}]"#.utf8))
        #expect(items.map { $0["id"] } == [.integer(1)] && items.first?["raw"] == .json("[2]"))
    }

    private static func items(of body: [UInt8]) async throws -> [Item] {
        let response = Response(head: HTTPResponse(status: .ok), body: body)
        return try await Bench(all, ScriptedNetworking { _, _, _ in response }).items()
    }

    @Test(
        "a group below a wildcard may lack its rows, unless all groups lack them",
        arguments: [
            (#"{"groups": [{"items": [{"id": 1}]}, {"name": "x"}, {"items": null}, null]}"#, [1], nil),
            (#"{"groups": {"a": {}, "b": {"items": [{"id": 1}, {"id": 2}]}}}"#, [1, 2], nil),
            (#"{"groups": [{"items": null}, {}]}"#, [], nil), (#"{"groups": []}"#, [], nil),
            (
                #"{"groups": [{"rows": []}, {}]}"#, [],
                "groups.*.items: expected the rows, found no such member"
            ),
        ] as [(String, [Int64], String?)])
    func groups(_ body: String, _ ids: [Int64], _ problem: String?) async throws {
        for path in ["groups/*/items", "groups/*/items/*"] {
            let text =
                "api = x\nrows.path = /rows\nrows.rows = \(path)\nrows.key = id\nrows.field.id = integer"
            var items: [Item] = []
            let error = await fault { items = try await self.items(body, text) }
            #expect(items.map { $0["id"] } == ids.map { .integer($0) })
            #expect(error?.message == problem.map { "\(Self.unusable)\($0)" })
        }
    }

    @Test(
        "rows whose path ends with a question mark may be missing",
        arguments: [
            ("items?", #"{"kind": "list"}"#), ("_embedded/items?", #"{"page": {"number": 3}}"#),
            ("groups/*/items?", #"{"groups": [{}, {"name": "x"}]}"#),
        ])
    func missingRows(_ path: String, _ body: String) async throws {
        let text = "api = x\nrows.path = /rows\nrows.key = id\nrows.field.id = integer\nrows.rows = "
        #expect(try await items(body, text + path).isEmpty)
        #expect(await fault { try await items(body, text + path.dropLast()) }?.code == .invalidResponse)
    }

    private static let unusable =
        "the answer of https://api.example.org/rows cannot be used: it is not a list of rows: "

    @Test("members with spaces and signs in their names are read")
    func encodedNames() async throws {
        let text = """
            api = x
            rows.path = /rows
            rows.rows = all%20rows
            rows.key = id
            rows.field.id = integer
            rows.field.due = time? fields/Due%20Date
            rows.field.tag = text %40odata.etag
            """
        let body = #"{"all rows": [{"id": 1, "fields": {"Due Date": "2024-01-02"}, "@odata.etag": "W/1"}]}"#
        let item = try #require(try await items(body, text).first)
        #expect(item["due"] == .time(Timestamp(milliseconds: 1_704_153_600_000)))
        #expect(item["tag"] == .text("W/1"))
    }

    @Test(
        "a key that is an empty text is refused",
        arguments: [
            (#"[{"id": ""}, {"id": ""}]"#, "", "[0].id"),
            (#"{"": {}, "a": {}}"#, " @key\nrows.rows = *", ".id"),
        ])
    func emptyKey(_ body: String, _ origin: String, _ place: String) async {
        let text = "api = x\nrows.path = /rows\nrows.key = id\nrows.field.id = text\(origin)\n"
        let error = await fault { try await items(body, text) }
        #expect(error?.code == .invalidResponse && error?.field == "id")
        let problem = "\(place): expected a text, found an empty one"
        #expect(
            error?.message
                == "the answer of https://api.example.org/rows cannot be used: it is not a list of rows: "
                + problem)
    }

    @Test("rows may be members of members, with their names")
    func members() async throws {
        let text = """
            api = x
            files.path = /files
            files.rows = releases/*/*
            files.key = name
            files.field.name = text
            files.field.version = text @key
            """
        let body =
            #"{"info": {}, "releases": {"1.0": [], "2.0": [{"name": "a"}, {"name": "b"}], "3.0": [{"name": "c"}]}}"#
        let items = try await items(body, text)
        #expect(items.map { $0.text("version") } == ["2.0", "2.0", "3.0"])
    }

    @Test("rows may be plain values, one object, or nothing")
    func shapes() async throws {
        let plain =
            "api = x\ntop.path = /top\ntop.key = id\ntop.field.id = integer .\ntop.field.place = integer @place\n"
        #expect(
            try await items("[8, 5, 7]", plain).map { $0["id"] } == [.integer(8), .integer(5), .integer(7)])
        #expect(try await items(#"{"id": 4}"#).map { $0["id"] } == [.integer(4)])
        #expect(try await items("null").isEmpty)
        #expect(try await items("[8, null, 7]", plain).map { $0["place"] } == [.integer(0), .integer(2)])
        #expect(try await items(#"[null, {"id": 4}]"#).map { $0["id"] } == [.integer(4)])
    }

    @Test("a page has a limit")
    func limit() async {
        let body = "[" + (1...10_001).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
        let error = await fault { try await items(body) }
        let advice = "; request smaller pages, or import a saved answer"
        #expect(error?.message.hasSuffix("[10000]: more than 10000 rows in a page" + advice) == true)
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("ids as numbers and as texts")
struct IDTests {
    private func items(_ body: String, _ lines: String) async throws -> [Item] {
        let text = "api = x\nrows.path = /rows\nrows.next = none\nrows.key = id\n" + lines
        return try await Bench(text, ScriptedNetworking(200, [], body)).items()
    }

    @Test("a key that is a text keeps every digit of a number")
    func numbers() async throws {
        let body =
            #"[{"id": 123456789012345678901234567890}, {"id": -7}, {"id": "A-7"}, {"id": 9.50}, {"id": 4.7e1}]"#
        let items = try await items(body, "rows.field.id = text")
        #expect(
            items.map(\.key)
                == ["123456789012345678901234567890", "-7", "A-7", "9.50", "47"].map { .text($0) })
    }

    @Test("a key that is an integer reads a text that is the same number")
    func texts() async throws {
        let items = try await items(
            #"[{"id": "9007199254740993"}, {"id": "-7"}, {"id": 8}, {"id": 9.0}]"#, "rows.field.id = integer")
        #expect(
            items.map(\.key) == [.integer(9_007_199_254_740_993), .integer(-7), .integer(8), .integer(9)])
    }

    @Test(
        "a text that is another spelling of a number is not an integer",
        arguments: ["007", "+7", "7.0", "", "9223372036854775808"])
    func spellings(_ id: String) async {
        let error = await fault { try await items(#"[{"id": "\#(id)"}]"#, "rows.field.id = integer") }
        #expect(error?.message.contains("[0].id: expected a whole number, found a string; ids") == true)
        #expect(error?.field == "id" && error?.note("value") == "\"\(id)\"")
    }

    @Test("the handle and the field of within are ids as well, and other fields are not")
    func others() async throws {
        let lines = """
            rows.handle = number
            rows.within = owner
            rows.field.id = integer
            rows.field.number = text
            rows.field.owner = text
            rows.field.name = text?
            """
        let items = try await items(
            #"[{"id": 1, "number": 5, "owner": 18446744073709551616, "name": 3}]"#, lines)
        #expect(items[0].text("number") == "5" && items[0].text("owner") == "18446744073709551616")
        #expect(items[0]["name"] == nil)
    }

    @Test("other numbers may be texts as well")
    func textsOfNumbers() async throws {
        let lines = "rows.field.id = integer\nrows.field.n = integer?\nrows.field.price = real?"
        let body = #"""
            [{"id": 1, "n": "42", "price": "199.00"}, {"id": 2, "n": "042", "price": "1e3"},
             {"id": 3, "n": "4.0", "price": "1,5"}, {"id": 4, "n": "", "price": "inf"}]
            """#
        let items = try await items(body, lines)
        #expect(items.map { $0["n"] } == [.integer(42), nil, .integer(4), nil])
        #expect(items.map { $0["price"] } == [.real(199), .real(1_000), nil, nil])
        let strict = lines + "\nrows.field.r = real"
        let error = await fault { try await self.items(#"[{"id": 1, "r": ""}]"#, strict) }
        #expect(error?.message.hasSuffix("[0].r: expected a number, found a string") == true)
    }

    @Test("the name of a member may be an integer key")
    func memberNames() async throws {
        let lines = "rows.rows = *\nrows.field.id = integer @key"
        #expect(try await items(#"{"12": {}, "7": {}}"#, lines).map(\.key) == [.integer(12), .integer(7)])
        let error = await fault { try await items(#"{"a": {}}"#, lines) }
        #expect(error?.message.hasSuffix("expected a whole number as the member's name") == true)
    }
}

@Suite("rows that are arrays")
struct ArrayRowTests {
    private func items(_ body: String, _ lines: String) async throws -> [Item] {
        let text = """
            api = x
            rows.path = /rows
            rows.next = none
            rows.key = id
            rows.field.id = integer 0
            rows.field.name = text 1
            rows.field.city = text? 2/city
            rows.field.place = integer @place

            """
        return try await Bench(text + lines, ScriptedNetworking(200, [], body)).items()
    }

    @Test(
        "fields are elements, and a header is skipped",
        arguments: [
            ("", #"[[1, "a", {"city": "x"}], [2, null], [3]]"#),
            ("rows.rows = 1:", #"[["id", "name"], ["1", "a", {"city": "x"}], [2, null], [3]]"#),
            ("rows.rows = data/2:", #"{"data": [["id"], 7, [1, "a", {"city": "x"}], [2, null], [3]]}"#),
        ])
    func elements(_ lines: String, _ body: String) async throws {
        let items = try await items(body, lines)
        #expect(items.map(\.key) == [.integer(1), .integer(2), .integer(3)])
        #expect(items.map { $0["place"] } == [.integer(0), .integer(1), .integer(2)])
        #expect(items.map { $0.text("name") } == ["a", nil, nil] && items[0].text("city") == "x")
    }

    @Test(
        "an answer with only a header, an empty one and null have no rows",
        arguments: [#"[["id"]]"#, "[]", "null"])
    func none(_ body: String) async throws {
        #expect(try await items(body, "rows.rows = 1:").isEmpty)
    }

    @Test("a fault names the row and the element")
    func faults() async {
        let error = await fault { try await items(#"[[1, "a"], ["x", "b"]]"#, "") }
        #expect(error?.message.contains("[1].0: expected a whole number, found a string; ids") == true)
        #expect(error?.row == 1 && error?.field == "id")
        let missing = await fault { try await items("[[]]", "") }
        #expect(missing?.message.hasSuffix("[0].0: expected a number, found none") == true)
    }
}

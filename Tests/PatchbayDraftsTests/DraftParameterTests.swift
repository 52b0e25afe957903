import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Parameters and members of pages in drafts from descriptions")
struct DraftParameterTests {
    /// The draft of a list of gates, whose answer has the given members beside its rows.
    private func draft(_ parameters: String, beside: String = "") throws -> DefinitionDraft {
        let rows = "gates: {type: array, items: {type: object, properties: {id: {type: integer}}}}"
        let text = listDescription(of: "gates", "\(rows), \(beside)", parameters)
        return try DefinitionDraft(describedBy: text, name: "gates")
    }

    private func query(_ name: String, _ schema: String, _ description: String = "") -> String {
        let words = description.isEmpty ? "" : ", description: \"\(description)\""
        return "{in: query, name: \"\(name)\", schema: {\(schema)}\(words)}"
    }

    @Test(
        "the words and the schema of a parameter state the first page",
        arguments: [
            ("type: integer", "The first one has the number 0.", "page page 0"),
            ("type: integer", "Which page to show (0..N)", "page page 0"),
            ("type: integer", "Defaults to 0", "page page 0"),
            ("type: integer", "default: `0`", "page page 0"),
            ("type: integer", "0 is where it begins", "page page 0"),
            ("type: integer", "(from 0)", "page page 0"),
            ("type: integer", "starting 0", "page page 0"),
            ("type: integer", "a 0-index page", "page page 0"),
            ("type: integer", "the number (>= 0)", "page page 0"),
            ("type: integer", "Seite, ab 0", "page page 0"), ("type: integer", "从0开始的页码", "page page 0"),
            ("type: integer", "从1开始的页码", "page page"),
            ("type: integer, examples: [3], example: 0", "", "page page 0"),
            ("anyOf: [{type: integer, minimum: 0, default: 0}, {type: \"null\"}]", "", "page page 0"),
            ("allOf: [{type: integer}, {default: 0}]", "", "page page 0"),
            ("type: integer, default: 1", "not 0", "page page"),
            ("type: integer", "more than 0", "page page"),
            ("type: integer", "the number > 0", "page page"), ("type: integer", "1-based", "page page"),
            ("type: integer", "from 1 to 100", "page page"), ("type: integer, minimum: 1", "", "page page"),
        ])
    func firstPages(_ schema: String, _ description: String, _ next: String) throws {
        let draft = try draft(query("page", schema, description))
        #expect(draft.value("gates.next") == next)
        #expect(draft.correction == nil)
    }

    @Test(
        "a first page that nothing states is to be corrected",
        arguments: [
            ("type: integer", ""), ("type: integer", "The number of 10 or 20 rows"),
            ("type: integer", "since v1.0"),
            ("type: integer, example: 3", ""), ("type: string", "the number of the page"),
            ("type: string", ""),
        ])
    func unstatedPages(_ schema: String, _ description: String) throws {
        let draft = try draft(query("page", schema, description))
        #expect(draft.value("gates.next") == "page page 0")
        #expect(
            draft.correction
                == "the first number in NAME.next of gates, which the document does not state: counting "
                + "from 0 loses no page, but if pages count from 1, page PARAM saves a request")
    }

    @Test(
        "the words of a parameter, before its name, show what it selects",
        arguments: [
            ("offset", "type: integer", "Which page number to return, from 1", "page offset"),
            ("start", "type: integer", "The number of the page, from 0", "page start 0"),
            (
                "offset", "type: integer", "The number of rows to skip, that is page number times limit",
                "offset offset"
            ),
            ("offset", "type: integer", "", "offset offset"),
            ("offset", "type: number", "Determines the number of pages to skip, from 1", "page offset"),
            (
                "offset", "type: integer", "Offsets the rows, which are in the order of their dates",
                "offset offset"
            ),
            ("offset", "type: integer", "The rows are in the order of their creation date", "offset offset"),
            ("from", "type: integer, format: int64", "Unix timestamp of the oldest one", nil),
            ("start", "type: integer", "The date of the oldest one", nil),
            ("p", "type: integer", "The price", nil),
            ("p", "type: integer", "The page, from 1", "page p"),
            ("offset", "type: string", "For pagination", "offset offset"),
            ("offset", "type: string", "A cursor for pagination", nil), ("offset", "type: string", "", nil),
            ("from", "type: string", "The number of a gate", nil),
            ("page", "type: string", "The title of a page", nil),
            ("page", "type: string, enum: [home, about]", "", nil),
        ] as [(String, String, String, String?)])
    func roles(_ name: String, _ schema: String, _ description: String, _ next: String?) throws {
        let draft = try draft(query(name, schema, description))
        #expect(draft.value("gates.next") == next)
        #expect(draft.value("gates.path") == "/gates")
    }

    @Test(
        "parameters of pages may be null, in an object, or have longer names",
        arguments: [
            ("page", "type: [\"null\", integer], default: 1", "page page", "/gates"),
            (
                "page",
                "type: object, properties: {number: {type: integer}, size: {type: integer, maximum: 50}}",
                "page page[number] 0", "/gates?page[size]=50"
            ),
            ("pagination.page", "type: integer", "page pagination.page 0", "/gates"),
            ("pagination[page]", "type: integer", "page pagination[page] 0", "/gates"),
            ("record_index", "type: integer", "offset record_index", "/gates"),
            ("sIndex", "type: integer", "offset sIndex", "/gates"),
            ("paging[limit]", "type: integer, maximum: 9", nil, "/gates?paging[limit]=9"),
        ] as [(String, String, String?, String)])
    func forms(_ name: String, _ schema: String, _ next: String?, _ path: String) throws {
        let parameter = query(name, schema).dropLast() + ", style: deepObject}"
        let draft = try draft(String(parameter))
        #expect(draft.value("gates.next") == next)
        #expect(draft.value("gates.path") == path)
    }

    @Test("the members of an object that is a parameter are parameters")
    func objects() throws {
        let object =
            "type: object, required: [kind], properties: {page: {type: integer, minimum: 0}, "
            + "size: {type: integer, maximum: 50}, kind: {type: string}, sort: {type: string}}"
        let draft = try draft("{in: query, name: pageable, required: true, schema: {\(object)}}")
        #expect(draft.value("gates.path") == "/gates?size=50&kind={kind}")
        #expect(draft.value("gates.next") == "page page 0")
        let joined = try self.draft(
            "{in: query, name: pageable, explode: false, required: true, schema: {\(object)}}")
        #expect(joined.value("gates.path") == "/gates?pageable={pageable}")
    }

    @Test("of two sizes, the one of the way to request pages is sent")
    func sizes() throws {
        let sizes = [
            query("page", "type: integer, default: 1"), query("offset", "type: integer"),
            query("page_size", "type: integer, maximum: 50", "for page"),
            query("limit", "type: integer, maximum: 50", "for offset"),
        ]
        #expect(try draft(sizes.joined(separator: ", ")).value("gates.path") == "/gates?page_size=50")
        #expect(try draft(sizes.dropFirst().joined(separator: ", ")).value("gates.path") == "/gates?limit=50")
        for (names, path) in [
            (["limit", "per_page", "page"], "/gates?per_page=100"),
            (["count", "limit", "after"], "/gates?limit=100"),
            (["count", "page_size", "offset"], "/gates?page_size=100"),
            (["limit", "top", "skip"], "/gates?top=100"), (["top", "first", "page"], "/gates?top=100"),
        ] {
            let parameters = names.map { query($0, "type: integer", "of the gates, for pages of rows") }
            #expect(try draft(parameters.joined(separator: ", ")).value("gates.path") == path)
        }
    }

    @Test("the size of a page may be described as a text")
    func textSizes() throws {
        let size = query("limit", "type: string", "The number of gates on a page, at most 50")
        #expect(try draft(size).value("gates.path") == "/gates?limit=50")
        #expect(try draft(query("limit", "type: string")).value("gates.path") == "/gates")
    }

    @Test("a number of days is not the size of a page")
    func measures() throws {
        for schema in ["type: integer", "type: integer, minimum: 1, default: 7"] {
            let days = query("top", schema, "Returns gates with many people in a number of recent days")
            #expect(try draft(days).value("gates.path") == "/gates")
        }
    }

    @Test("rows count from 0 unless the document says so, because a minimum of 1 may be for later pages")
    func firstRows() throws {
        let draft = try draft(query("offset", "type: integer, minimum: 1", "where the gates start"))
        #expect(draft.value("gates.path") == "/gates" && draft.value("gates.next") == "offset offset")
        let stated = try self.draft(query("offset", "type: integer, minimum: 1", "the first row, from 1"))
        #expect(stated.value("gates.path") == "/gates")
        let based = try self.draft(query("offset", "type: integer, minimum: 1", "the 1-based number"))
        #expect(based.value("gates.path") == "/gates?offset=1")
    }

    @Test(
        "a cursor may be in a header that the words of its parameter name",
        arguments: [
            ("From the X-Gates-Cursor-Next header of the page before", "header cursor x-gates-cursor-next"),
            ("The header `Next-Gate-Token` has it", "header cursor next-gate-token"),
            ("Not in a header, but well-known", nil), ("X-Gates-Cursor-Next", nil),
            ("The X-Gates-Cursor-Prev header", nil),
        ] as [(String, String?)])
    func headers(_ description: String, _ next: String?) throws {
        #expect(try draft(query("cursor", "type: string", description)).value("gates.next") == next)
        #expect(try draft(query("name", "type: string", description)).value("gates.next") == nil)
    }

    @Test("a cursor may be in a header that the answer declares")
    func declaredHeaders() throws {
        let text = listDescription(
            of: "gates", "gates: {type: array, items: {type: object, properties: {id: {type: integer}}}}",
            query("after", "type: string"))
        let declared = text.replacing(
            "        200:\n",
            with: "        200:\n          headers: {X-Next-Cursor: {schema: {type: string}}}\n")
        let samples = try DraftSample.all(in: Array(declared.utf8), name: "api.yaml")
        let draft = try DefinitionDraft(samples, name: "gates", source: "api.yaml")
        #expect(draft.value("gates.next") == "header after x-next-cursor")
        let definition = try draft.definition()
        #expect(definition.resources[0].paging == .header(parameter: "after", name: "x-next-cursor"))
    }

    @Test(
        "a list with the newest rows first continues before its last row",
        arguments: [
            (["max_id", "since_id"], "", "last max_id id"),
            (["since_id", "before_id"], "", "last before_id id"),
            (["since_id"], "", nil), (["max_id"], "", nil), (["after", "before"], "", "last after id"),
            (["after", "before"], "Unix time in milliseconds", nil),
        ] as [([String], String, String?)])
    func newestFirst(_ names: [String], _ description: String, _ next: String?) throws {
        let parameters = names.map { query($0, "type: integer", description) }
        let draft = try draft(parameters.joined(separator: ", "))
        #expect(draft.value("gates.next") == next)
        let isAlone = names == ["since_id"]
        #expect(
            draft.correction
                == (next != nil
                    ? "NAME.next of gates, which is a guess"
                    : isAlone
                        ? "NAME.next of gates, which is missing, because since_id may only select "
                            + "newer rows"
                        : nil))
    }

    @Test("the address of the next page comes before a parameter that may take the last row")
    func addresses() throws {
        let parameters = ["after", "before"].map { query($0, "type: string") }.joined(separator: ", ")
        #expect(
            try draft(parameters, beside: "next_url: {type: string}").value("gates.next") == "url next_url")
    }

    @Test(
        "a parameter that no document names is guessed from the member, and the summary says so",
        arguments: [
            ("continuation: {type: string}", "cursor continuation continuation"),
            ("scrollId: {type: string}", "cursor scrollId scrollId"),
            ("nextCursorMark: {type: string}", "cursor cursorMark nextCursorMark"),
            ("iterator: {type: string}", "cursor iterator iterator"),
            ("nextPageToken: {type: string}", "cursor pageToken nextPageToken"),
            ("next_token: {type: string}", "cursor next_token next_token"),
            ("next_cursor: {type: string}", "cursor cursor next_cursor"),
            ("paging: {properties: {next_start: {type: integer}}}", "cursor start paging/next_start"),
            ("nextOffset: {type: integer}", "cursor offset nextOffset"),
            ("next: {type: integer}", "cursor page next"),
            ("_links: {properties: {next: {type: object}}}", "url _links/next/href"),
            (
                "links: {type: array, items: {properties: {rel: {type: string}, href: {type: string}}}}",
                "url links[rel=next]/href"
            ),
        ])
    func guesses(_ member: String, _ next: String) throws {
        let draft = try draft("", beside: member)
        #expect(draft.value("gates.next") == next)
        #expect(draft.correction == "NAME.next of gates, which is a guess")
    }

    @Test("a member with the id after which there is more is a cursor, and a time is none")
    func members() throws {
        let more = try draft(
            query("starting_after_id", "type: string"),
            beside: "has_more: {type: boolean}, more_starting_after: {type: string}")
        #expect(more.value("gates.next") == "cursor starting_after_id more_starting_after")
        #expect(more.correction == nil)
        for time in ["next_run_at: {type: string}", "next: {type: string, format: date-time}"] {
            #expect(try draft("", beside: time).value("gates.next") == nil)
        }
    }
}

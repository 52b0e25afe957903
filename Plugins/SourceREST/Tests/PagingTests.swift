import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("paging")
struct PagingTests {
    /// The requests of each kind of paging, and its end.
    private static let kinds: [(String, [(String, String)])] = [
        ("rows.next = none", [("/rows?limit=2", #"{"data": [{"id": 1}], "next": "x"}"#)]),
        (
            "rows.next = url links/next",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}], "links": {"next": "/more?a=1"}}"#),
                ("/more?a=1", #"{"data": [], "links": {"next": "https://api.example.org/more?a=2"}}"#),
                ("/more?a=2", #"{"data": [{"id": 3}], "links": {"next": null}}"#),
            ]
        ),
        (
            "rows.next = cursor cursor meta/next",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}], "meta": {"next": "a="}}"#),
                ("/rows?limit=2&cursor=a%3D", #"{"meta": {"next": 7}, "data": []}"#),
                ("/rows?limit=2&cursor=7", #"{"data": [{"id": 3}], "meta": {"next": ""}}"#),
            ]
        ),
        (
            "rows.next = cursor cursor next alone",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}], "next": "a"}"#),
                ("/rows?cursor=a", #"{"data": [{"id": 3}], "next": false}"#),
            ]
        ),
        (
            "rows.next = last after id",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}, {"id": 4}]}"#),
                ("/rows?limit=2&after=4", #"{"data": []}"#),
            ]
        ),
        (
            "rows.next = last from id",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}, {"id": 4}]}"#),
                ("/rows?limit=2&from=4", #"{"data": [{"id": 4}]}"#),
            ]
        ),
        (
            "rows.next = page page",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}]}"#),
                ("/rows?limit=2&page=2", #"{"data": [{"id": 2}]}"#),
                ("/rows?limit=2&page=3", #"{"data": []}"#),
            ]
        ),
        (
            "rows.next = page p 0",
            [("/rows?limit=2", #"{"data": [{"id": 1}]}"#), ("/rows?limit=2&p=1", #"{"data": []}"#)]
        ),
        (
            "rows.next = offset offset",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}, {"id": 2}]}"#),
                ("/rows?limit=2&offset=2", #"{"data": [{"id": 3}]}"#),
                ("/rows?limit=2&offset=3", #"{"data": []}"#),
            ]
        ),
        (
            "rows.next = offset offset\nrows.end = not more",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}, {"id": 2}], "more": true}"#),
                ("/rows?limit=2&offset=2", #"{"data": [{"id": 3}], "more": 0}"#),
            ]
        ),
        (
            "rows.next = page page\nrows.end = not more",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}], "more": true}"#),
                ("/rows?limit=2&page=2", #"{"data": [], "more": true}"#),
                ("/rows?limit=2&page=3", #"{"data": [{"id": 3}], "more": false}"#),
            ]
        ),
        (
            "rows.next = page page\nrows.end = last",
            [
                ("/rows?limit=2", #"{"data": [], "last": false}"#),
                ("/rows?limit=2&page=2", #"{"data": []}"#),
            ]
        ),
        (
            "rows.next = offset offset",
            [
                ("/rows?limit=2", #"{"data": [null, {"id": 1}]}"#),
                ("/rows?limit=2&offset=2", #"{"data": [null, null]}"#),
                ("/rows?limit=2&offset=4", #"{"data": [{"id": 3}, null]}"#),
                ("/rows?limit=2&offset=6", #"{"data": []}"#),
            ]
        ),
        (
            "rows.next = page page",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}]}"#), ("/rows?limit=2&page=2", #"{"data": [null]}"#),
                ("/rows?limit=2&page=3", #"{"data": []}"#),
            ]
        ),
        (
            "rows.next = cursor cursor next\nrows.end = empty",
            [
                ("/rows?limit=2", #"{"data": [null], "next": "a"}"#),
                ("/rows?limit=2&cursor=a", #"{"data": [], "next": "b"}"#),
            ]
        ),
        (
            "rows.send = form\nrows.next = cursor cursor next",
            [
                ("/rows limit=2", #"{"data": [{"id": 1}], "next": "a b"}"#),
                ("/rows limit=2&cursor=a%20b", #"{"data": [{"id": 3}]}"#),
            ]
        ),
        (
            "rows.send = json\nrows.next = cursor cursor next",
            [
                (#"/rows {"limit":2}"#, #"{"data": [{"id": 1}], "next": "a b"}"#),
                (#"/rows {"limit":2,"cursor":"a b"}"#, #"{"data": [{"id": 3}]}"#),
            ]
        ),
    ]

    @Test("each kind requests its pages and ends", arguments: kinds + CursorTests.kinds)
    func pages(_ lines: String, _ answers: [(String, String)]) async throws {
        let bench = try Bench(rows: lines, Dictionary(uniqueKeysWithValues: answers))
        _ = try await bench.items()
        #expect(bench.networking.lines == answers.map(\.0))
    }

    @Test("places continue on the next page, and count nulls")
    func places() async throws {
        let bench = try Bench(
            rows: "rows.next = cursor c next\nrows.field.place = integer @place",
            [
                "/rows?limit=2": #"{"data": [{"id": 1}, {"id": 2}, null], "next": "a"}"#,
                "/rows?limit=2&c=a": #"{"data": [{"id": 1}], "next": "b"}"#,
                "/rows?limit=2&c=b": #"{"data": [{"id": 4}]}"#,
            ])
        #expect(try await bench.items().map { $0["place"] } == [0, 1, 3, 4].map { .integer($0) })
    }

    @Test("offsets count from the one in the list's address")
    func firstOffset() async throws {
        let text = "api = x\nrows.path = /rows?start=1\nrows.next = offset start\nrows.key = id\n"
        let networking = ScriptedNetworking { request, _, _ in
            Response(200, [], request.path == "/rows?start=1" ? #"[{"id": 1}, {"id": 2}]"# : "[]")
        }
        _ = try await Bench(text + "rows.field.id = integer", networking).items()
        #expect(networking.paths == ["/rows?start=1", "/rows?start=3"])
    }

    @Test(
        "a next page that is the same or on another server is not followed",
        arguments: ["https://api.example.org/rows?limit=2", "https://evil.example/rows"])
    func refused(_ next: String) async throws {
        let bench = try Bench(
            rows: "rows.next = url next", ["/rows?limit=2": #"{"data": [], "next": "\#(next)"}"#])
        let page = try #require(try await bench.pages(ListQuestion(bench.resource())).first)
        #expect(page.next == nil && page.shortfall?.kind == .link)
    }

    private static let found: [(String, [(String, String)])] = [
        (
            "rows.next = offset offset\nrows.end = not more",
            [
                ("/find?q=a", #"{"data": [{"id": 1}], "more": true}"#),
                ("/find?q=a&offset=1", #"{"data": [{"id": 2}], "more": false}"#),
            ]
        ),
        (
            "rows.next = cursor c next\nrows.end = not more\nrows.search-next = page page 0",
            [
                ("/find?q=a", #"{"data": [{"id": 1}]}"#), ("/find?q=a&page=1", #"{"data": [{"id": 2}]}"#),
                ("/find?q=a&page=2", #"{"data": []}"#),
            ]
        ),
        (
            "rows.next = none\nrows.search-next = last after id\nrows.search-end = not more",
            [
                ("/find?q=a", #"{"data": [{"id": 4}], "more": 1}"#),
                ("/find?q=a&after=4", #"{"data": [{"id": 5}], "more": 0}"#),
            ]
        ),
        (
            "rows.next = page page\nrows.end = not more\nrows.search-end = not go",
            [
                ("/find?q=a", #"{"data": [{"id": 1}], "go": 1}"#),
                ("/find?q=a&page=2", #"{"data": [{"id": 2}]}"#),
            ]
        ),
        ("rows.next = page page\nrows.search-next = none", [("/find?q=a", #"{"data": [{"id": 1}]}"#)]),
        (
            "rows.next = none\nrows.search-next = cursor * next",
            [
                ("/find?q=a", #"{"data": [{"id": 1}], "next": {"at": 7, "q": "b"}}"#),
                ("/find?at=7&q=b", #"{"data": [{"id": 2}], "next": {"to": "c"}}"#),
                ("/find?q=a&to=c", #"{"data": [{"id": 3}]}"#),
            ]
        ),
    ]

    @Test("a search has pages by its own rule, or else by that of the lists", arguments: found)
    func searches(_ lines: String, _ answers: [(String, String)]) async throws {
        let search = "\nrows.search = /find?q={text}\nrows.search-rows = data"
        let bench = try Bench(rows: lines + search, Dictionary(uniqueKeysWithValues: answers))
        let pages = try await bench.pages(ListQuestion(bench.resource(), .search("a")))
        #expect(bench.networking.paths == answers.map(\.0))
        #expect(pages.last?.next == nil && pages.allSatisfy { $0.cap == nil })
    }

    @Test("with a JSON body, names are paths, and indexes make arrays")
    func nested() async throws {
        let text = """
            api = x
            rows.path = /find?filter/state=open&filter/owner/id=7&sort/0/by=at&sort/1/by=id&a~1b=1&page/size=2
            rows.send = json
            rows.next = cursor page/after next
            rows.rows = data
            rows.key = id
            rows.field.id = integer
            """
        let start =
            #"{"filter":{"state":"open","owner":{"id":7}},"sort":[{"by":"at"},{"by":"id"}],"a/b":1,"page":{"size":2"#
        let networking = ScriptedNetworking { _, body, _ in
            Response(200, [], #"{"data": [], "next": \#(body.contains("after") ? "null" : "\"x\"")}"#)
        }
        _ = try await Bench(text, networking).items()
        #expect(networking.bodies == [start + "}}", start + #","after":"x"}}"#])
    }

    @Test("a later sync requests only rows that are not older than the newest stored one")
    func since() async throws {
        let bench = try Bench(
            rows: "rows.next = none\nrows.since = since at seconds\nrows.field.at = time",
            ["/rows?limit=2&since=1502138686": #"{"data": []}"#])
        var question = ListQuestion(try bench.resource())
        question.since = .time(Timestamp(milliseconds: 1_502_138_686_999))
        #expect(try await bench.pages(question).count == 1)
    }

    @Test("arguments, parents and handles are percent-encoded, each for its place")
    func addresses() async throws {
        let text = """
            api = x
            rows.path = /a/{name}?q={name}&since={after}
            rows.key = id
            rows.order = id
            rows.handle = full-name OWNER/NAME
            rows.show = /rows/{handle}
            rows.field.id = integer
            rows.field.full-name = text?
            """
        let bench = try Bench(text, ScriptedNetworking(200, [], "[]"))
        let resource = try bench.resource()
        _ = try await bench.pages(ListQuestion(resource, arguments: ["a/b c"]))
        _ = await fault {
            try await bench.source.feed!.item("o p/n", of: resource, ifChangedFrom: Validator())
        }
        #expect(bench.networking.paths == ["/a/a%2Fb%20c?q=a%2Fb%20c", "/rows/o%20p/n"])
        let error = await fault {
            try await bench.source.feed!.item("o", of: resource, ifChangedFrom: Validator())
        }
        #expect(error?.code == .invalidValue && error?.message == "\"o\" cannot be a row; write OWNER/NAME")
    }
}

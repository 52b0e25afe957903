import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("cursors of several values")
struct CursorTests {
    @Test(
        "an answer 304 that names another next page is not a confirmation",
        arguments: [
            ("rows.next = link", "Link", "<https://api.example.org/rows?p=2>; rel=\"next\"", "rows?p=2"),
            ("rows.next = header cursor X-Next", "X-Next", "b", "rows?limit=2&cursor=b"),
        ])
    func notModified(_ rule: String, _ field: String, _ value: String, _ address: String) async throws {
        let text = "api = x\nrows.path = /rows?limit=2\nrows.key = id\nrows.field.id = integer\n" + rule
        let networking = ScriptedNetworking { request, _, number in
            let named = number == 0 ? [] : [(field, value)]
            return request.headerFields[.ifNoneMatch] == nil
                ? Response(200, [("ETag", "\"a\"")] + named, #"[{"id": 1}, {"id": 2}]"#)
                : Response(304, named, "")
        }
        let other = ScriptedNetworking(304, [("Link", "</style.css>; rel=preload"), ("X-Next", "")], "")
        let bench = try Bench(text, networking), feed = try #require(bench.source.feed)
        var request = ItemRequest(ListQuestion(try bench.resource()))
        let first = try await feed.page(request, ifChangedFrom: Validator())
        guard case .changed(let page, let validator) = first else { return #expect(Bool(false)) }
        #expect(page.next == nil)
        guard case .changed(let longer, _) = try await feed.page(request, ifChangedFrom: validator) else {
            return #expect(Bool(false), "the new page was not noticed")
        }
        #expect(longer.next == "https://api.example.org/" + address)
        #expect(networking.paths.count == 3)
        guard
            case .unchanged = try await Bench(text, other).source.feed?.page(
                request, ifChangedFrom: validator)
        else { return #expect(Bool(false), "another link counts as a next page") }
        request.storedNext = longer.next
        guard case .unchanged = try await feed.page(request, ifChangedFrom: validator) else {
            return #expect(Bool(false), "the known page was requested again")
        }
    }

    /// The requests of each kind of cursor, for ``PagingTests``.
    static let kinds: [(String, [(String, String)])] = [
        (
            "rows.next = cursor * continue",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}], "continue": {"from": "B C", "continue": "-||"}}"#),
                (
                    "/rows?limit=2&from=B%20C&continue=-%7C%7C",
                    #"{"data": [], "continue": {"a/b": 7, "limit": "", "on": true, "from": null}}"#
                ),
                (
                    "/rows?a%2Fb=7&limit=&on=true",
                    #"{"data": [{"id": 3}], "continue": {"from": null, "continue": "", "a/b": false}}"#
                ),
            ]
        ),
        (
            "rows.next = cursor * continue alone",
            [
                ("/rows?limit=2", #"{"data": [{"id": 1}], "continue": {"a": "1", "b": 2}}"#),
                ("/rows?a=1&b=2", #"{"data": [{"id": 3}], "continue": {}}"#),
            ]
        ),
        (
            "rows.send = json\nrows.next = cursor * next",
            [
                (
                    #"/rows {"limit":2}"#,
                    #"{"data": [{"id": 1}], "next": {"a/b": "1", "c": {"d": [1.50, null]}}}"#
                ),
                (#"/rows {"limit":2,"a/b":"1","c":{"d":[1.50,null]}}"#, #"{"data": [{"id": 3}]}"#),
            ]
        ),
        (
            "rows.send = json\nrows.next = cursor page/after next",
            [
                (#"/rows {"limit":2}"#, #"{"data": [{"id": 1}], "next": [ 1.50, "\u0022", null, "[1]" ]}"#),
                (
                    #"/rows {"limit":2,"page":{"after":[1.50,"\"",null,"[1]"]}}"#,
                    #"{"data": [], "next": "[2]"}"#
                ),
                (#"/rows {"limit":2,"page":{"after":"[2]"}}"#, #"{"data": [], "next": []}"#),
            ]
        ),
        (
            "rows.send = json\nrows.next = cursor start last",
            [
                (#"/rows {"limit":2}"#, #"{"data": [{"id": 1}], "last": {"id": {"S": "a"}}}"#),
                (#"/rows {"limit":2,"start":{"id":{"S":"a"}}}"#, #"{"data": [{"id": 3}], "last": { }}"#),
            ]
        ),
        (
            "rows.send = json\nrows.next = last after sort\nrows.field.sort = json",
            [
                (
                    #"/rows {"limit":2}"#,
                    #"{"data": [{"id": 1, "sort": [1]}, {"id": 2, "sort": [1.0, "a"]}]}"#
                ),
                (#"/rows {"limit":2,"after":[1.0,"a"]}"#, #"{"data": [{"id": 3, "sort": "\u0022b"}]}"#),
                (#"/rows {"limit":2,"after":"\"b"}"#, #"{"data": []}"#),
            ]
        ),
    ]

    @Test("arrays and objects in an address are sent as such in a JSON body, and quoted ones are texts")
    func fixedValues() async throws {
        let path = #"/r?a=[1,"b"]&b=%7B"c":null%7D&d="[1]"&e=[x]&f=null"#
        let text = "api = x\nrows.path = \(path)\nrows.send = json\nrows.next = none\nrows.key = id\n"
        let bench = try Bench(text + "rows.field.id = integer", ScriptedNetworking())
        _ = try await bench.items()
        #expect(
            bench.networking.bodies
                == [#"{"a":[1,"b"],"b":{"c":null},"d":"[1]","e":"[x]","f":"null"}"#])
    }

    private static let parameters = "an object of at most 100 members"
    private static let many = (0...100).map { #""a\#($0)": 1"# }.joined(separator: ", ")

    @Test(
        "a cursor or an address of another type is an error, except for an empty one",
        arguments: [
            ("cursor c meta/next", "[10, \"x\"]", "the cursor", "an array"),
            ("cursor c meta/next", #"{"x": 1}"#, "the cursor", "an object"),
            ("cursor c meta/next", "true", "the cursor", "true"),
            ("url meta/next", #"{"href": "/more"}"#, "the address", "an object"),
            ("cursor c meta/next", "[]", nil, ""), ("cursor c meta/next", "{ }", nil, ""),
            ("cursor * meta/next", "[]", nil, ""), ("cursor * meta/next", #"{"a": [], "b": {}}"#, nil, ""),
            ("cursor * meta/next", "[1]", "the cursor", "an array"),
            ("cursor * meta/next", "7", "the cursor", "a number"),
            ("cursor * meta/next", "{\(many)}", "the cursor", "an object"),
        ] as [(String, String, String?, String)])
    func cursors(_ next: String, _ value: String, _ noun: String?, _ type: String) async throws {
        let body = #"{"data": [{"id": 1}], "meta": {"next": \#(value)}}"#
        let bench = try Bench(rows: "rows.next = \(next)", ["/rows?limit=2": body])
        let error = await fault { try await bench.items() }
        let expected = next.contains("*") ? Self.parameters : "a text or a number"
        let problem = noun.map {
            "\($0) of the next page of rows, at \"meta/next\", is \(type); "
                + "expected \(expected), or no value at the end of the list"
        }
        #expect(
            error?.message
                == problem.map {
                    "the answer of https://api.example.org/rows?limit=2 cannot be used: \($0)"
                })
        #expect(error?.collection == (noun == nil ? nil : "x_rows"))
    }

    @Test(
        "the error for a member that cannot be a parameter names it",
        arguments: [#"{"a": 1, "b c": [2]}"#, #"{"a": 1, "b c": {"d": 2}}"#])
    func members(_ value: String) async throws {
        let bench = try Bench(
            rows: "rows.next = cursor * next", ["/rows?limit=2": #"{"data": [], "next": \#(value)}"#])
        let error = await fault { try await bench.items() }
        #expect(error?.code == .invalidResponse && error?.collection == "x_rows")
        #expect(error?.message.contains("at \"next/b%20c\", is an ") == true)
    }

    @Test("a cursor whose parameters the request already had names the page itself")
    func same() async throws {
        let bench = try Bench(
            rows: "rows.next = cursor * next", ["/rows?limit=2": #"{"data": [], "next": {"limit": 2}}"#])
        let page = try #require(try await bench.pages(ListQuestion(bench.resource())).first)
        #expect(page.next == nil && page.shortfall?.kind == .link)
        #expect(page.shortfall?.reason.hasPrefix("the last page names itself as the next one") == true)
    }
}

import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Synchronization
import Testing

@Suite("addresses and bodies of requests")
struct AddressTests {
    /// A definition of the resource `rows`, whose answers come in order.
    private func bench(_ lines: String, _ answers: [Response]) throws -> Bench {
        let place = Atomic(0)
        return try Bench(
            "api = x\nrows.key = id\nrows.field.id = integer\n" + lines,
            ScriptedNetworking { _, _, _ in answers[place.wrappingAdd(1, ordering: .relaxed).oldValue] })
    }

    private func bench(_ lines: String, bodies: [String]) throws -> Bench {
        try bench("rows.rows = d\n" + lines, bodies.map { Response(200, [], $0) })
    }

    private static let cursors = [
        #"{"d": [{"id": 1}], "n": "MjA="}"#, #"{"d": [{"id": 2}], "n": "NDA="}"#, #"{"d": [{"id": 3}]}"#,
    ]
    private static let after = ["MjA%3D", "NDA%3D"].map { "page%5Bsize%5D=20&page%5Bafter%5D=\($0)" }
    private static let counted = [#"{"d": [{"id": 1}]}"#, #"{"d": [{"id": 2}]}"#, #"{"d": []}"#]

    @Test(
        "a page's parameter replaces those with its name, and brackets are encoded once",
        arguments: [
            (
                "rows.path = /r?page[size]=20\nrows.next = cursor page[after] n", cursors,
                ["page%5Bsize%5D=20"] + after
            ),
            (
                "rows.path = /r?page%5Bsize%5D=20\nrows.next = cursor page%5Bafter%5D n", cursors,
                ["page%5Bsize%5D=20"] + after
            ),
            (
                "rows.path = /r?page%5bsize%5d=20\nrows.next = cursor cursor n", cursors,
                [
                    "page%5bsize%5d=20", "page%5bsize%5d=20&cursor=MjA%3D",
                    "page%5bsize%5d=20&cursor=NDA%3D",
                ]
            ),
            (
                "rows.path = /r?page[number]=1&a=1&page%5Bnumber%5D=1\nrows.next = page page[number]",
                counted,
                [
                    "page%5Bnumber%5D=1&a=1&page%5Bnumber%5D=1", "a=1&page%5Bnumber%5D=2",
                    "a=1&page%5Bnumber%5D=3",
                ]
            ),
            (
                "rows.path = /r\nrows.next = offset page[offset]", counted,
                ["", "page%5Boffset%5D=1", "page%5Boffset%5D=2"]
            ),
            (
                "rows.path = /r?f=a%20b|c\nrows.next = last since[id] id", counted,
                ["f=a%20b%7Cc", "f=a%20b%7Cc&since%5Bid%5D=1", "f=a%20b%7Cc&since%5Bid%5D=2"]
            ),
        ])
    func brackets(_ lines: String, _ answers: [String], _ queries: [String]) async throws {
        let bench = try bench(lines, bodies: answers)
        _ = try await bench.items()
        #expect(bench.networking.paths == queries.map { $0.isEmpty ? "/r" : "/r?" + $0 })
    }

    @Test("the parameter of newer rows replaces the one of the list")
    func since() async throws {
        let bench = try bench(
            "rows.path = /r?filter[from]=0&a=1\nrows.next = none\nrows.since = filter%5Bfrom%5D id",
            bodies: Self.counted)
        var question = ListQuestion(try bench.resource())
        question.since = .integer(7)
        _ = try await bench.pages(question)
        #expect(bench.networking.paths == ["/r?a=1&filter%5Bfrom%5D=7"])
    }

    @Test(
        "a cursor keeps its type in a JSON body",
        arguments: [
            (#""100""#, #""100""#), ("100", "100"), ("12345678901234567890", "12345678901234567890"),
            ("1.50e3", "1.50e3"), (#""007""#, #""007""#), (#""\"5\"""#, #""\"5\"""#), (#""a b""#, #""a b""#),
            (#""12345678901234567890""#, #""12345678901234567890""#),
        ])
    func cursorTypes(_ cursor: String, _ sent: String) async throws {
        let bench = try bench(
            "rows.path = /r?page[size]=2\nrows.send = json\nrows.next = cursor c n",
            bodies: [#"{"d": [{"id": 1}], "n": \#(cursor)}"#, #"{"d": []}"#])
        _ = try await bench.items()
        let bodies = bench.networking.bodies
        #expect(bodies == [#"{"page[size]":2}"#, #"{"page[size]":2,"c":\#(sent)}"#])
    }

    @Test("numbers and booleans keep their types in a JSON body, and quoted ones are texts")
    func fixedTypes() async throws {
        let path = #"/r?a=2022&b="2022"&c=%222022%22&d=007&e=-1.5&f=""1""&g=1+2&h="&i&j=true&k="false"&l=No"#
        let bench = try bench("rows.path = \(path)\nrows.send = json\nrows.next = none", bodies: Self.counted)
        _ = try await bench.items()
        let body =
            #"{"a":2022,"b":"2022","c":"2022","d":"007","e":-1.5,"f":"\"1\"","g":"1 2","h":"\"","i":"","#
            + #""j":true,"k":"false","l":"No"}"#
        #expect(bench.networking.bodies == [body])
    }

    @Test("texts of rows and searched texts stay texts in a JSON body")
    func templateTypes() async throws {
        let text = #"""
            api = x
            rows.path = /r?n={n}&t="{n}"
            rows.send = json
            rows.next = none
            rows.key = id
            rows.search = /s?q={text}&in=x:{text}
            rows.show = /one?id={key}
            rows.field.id = text
            rows.field.n = integer
            parts.path = /p?row={rows.id}&n={rows.n}
            parts.send = json
            parts.next = none
            parts.key = id
            parts.field.id = text
            """#
        let bench = try Bench(text, ScriptedNetworking(200, [], #"[{"id": "12", "n": 3}]"#))
        let rows = try bench.resource()
        let row = try await bench.pages(ListQuestion(rows, arguments: ["5"]))[0].items[0]
        for text in ["2022", "true"] { _ = try await bench.pages(ListQuestion(rows, .search(text))) }
        _ = try await bench.items("parts", parent: row)
        _ = await fault {
            try await bench.source.feed!.item("12", of: rows, ifChangedFrom: Validator())
        }
        #expect(
            bench.networking.bodies == [
                #"{"n":5,"t":"5"}"#, #"{"q":"2022","in":"x:2022"}"#, #"{"q":"true","in":"x:true"}"#,
                #"{"row":"12","n":3}"#, #"{"id":"12"}"#,
            ])
    }

    @Test(
        "a link is resolved against the request, and its other characters are encoded",
        arguments: [
            ("?p=1", "/v1/rows?p=1"), ("other?p=1", "/v1/other?p=1"),
            ("/x?p=1&f=name eq 'ü'", "/x?p=1&f=name%20eq%20'%C3%BC'"),
            ("https://api.example.org/x?p=1&p[a]=%20", "/x?p=1&p%5Ba%5D=%20"),
        ])
    func links(_ link: String, _ path: String) async throws {
        let header = try bench(
            "rows.path = /v1/rows?a=1",
            [Response(200, [("Link", "<\(link)>; rel=\"next\"")], #"[{"id": 1}]"#), Response(200, [], "[]")])
        _ = try await header.items()
        #expect(header.networking.paths == ["/v1/rows?a=1", path])
        let body = try bench(
            "rows.path = /v1/rows?a=1\nrows.rows = d\nrows.next = url next",
            [Response(200, [], #"{"d": [], "next": "\#(link)"}"#), Response(200, [], #"{"d": []}"#)])
        _ = try await body.items()
        #expect(body.networking.paths == ["/v1/rows?a=1", path])
    }

    @Test(
        "a link to another server, or to none, is not followed, with its reason",
        arguments: [
            (
                "//evil.example/a b",
                "the next page \"https://evil.example/a%20b\" is not at https://api.example.org"
            ),
            (
                "http://api.example.org/",
                "the next page \"http://api.example.org/\" is not at https://api.example.org"
            ),
            (
                "https://evil.example/?token=s3",
                "the next page \"https://evil.example/?token=REDACTED\" is not at https://api.example.org"
            ),
            (
                "https://a:pw@evil.example/?token=s3",
                "the next page \"https://REDACTED@evil.example/?token=REDACTED\" is not an address"
            ),
            ("mailto:example.org", "the next page \"mailto:example.org\" is not an address"),
        ])
    func foreignLinks(_ link: String, _ reason: String) async throws {
        let bench = try bench(
            "rows.path = /rows", [Response(200, [("Link", "<\(link)>; rel=next")], #"[{"id": 1}]"#)])
        guard reason.hasSuffix("is not an address") else {
            let page = try #require(try await bench.pages(ListQuestion(bench.resource())).first)
            #expect(page.items.count == 1 && page.next == nil && page.shortfall?.kind == .link)
            return #expect(page.shortfall?.reason.hasPrefix(reason) == true)
        }
        let error = await fault { try await bench.items() }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.message == "the answer of https://api.example.org/rows cannot be used: " + reason)
    }

    @Test("an answer 304 to a request without a condition is not a redirect")
    func unaskedNotModified() async throws {
        let bench = try bench("rows.path = /rows", [Response(304, [], "")])
        let error = await fault { try await bench.items() }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.message.hasPrefix(
                "api.example.org answered 304 (not modified) to a request without a condition") == true)
    }

    @Test("missing credentials are reported, and when a server that cannot answer asks to try again")
    func withoutCredentials() async throws {
        let answers = [
            Response(401, [], ""),
            Response(503, [("Retry-After", "600"), ("Date", "Fri, 27 Nov 2026 08:00:00 GMT")], ""),
        ]
        let bench = try bench("rows.path = /rows", answers)
        let error = await fault { try await bench.items() }
        #expect(error?.code == .unauthorized)
        #expect(
            error?.message == "api.example.org requires credentials, but the definition sets no auth")
        #expect(await fault { try await bench.items() }?.retryAt?.description == "2026-11-27T08:10:00Z")
    }

    @Test("a key is one encoded part of its address")
    func keys() async throws {
        let bench = try Bench(
            "api = x\nrows.path = /r\nrows.key = id\nrows.show = /r/{key}?k={key}\nrows.field.id = text",
            ScriptedNetworking(200, [], #"{"id": "a/b 100%"}"#))
        _ = try await bench.source.feed!.item(
            "a/b 100%", of: bench.resource(), ifChangedFrom: Validator())
        #expect(bench.networking.paths == ["/r/a%2Fb%20100%25?k=a%2Fb%20100%25"])
    }
}

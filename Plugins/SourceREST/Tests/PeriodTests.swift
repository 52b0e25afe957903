import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("lists that are requested from a time on, and in periods")
struct PeriodTests {
    /// Rows on the first of each month of 2026, two on a page; the answers come from the 15th of June.
    private static func networking() -> ScriptedNetworking {
        ScriptedNetworking { request, _, _ in
            let address = HTTPAddress("https://api.example.org\(request.path ?? "")")!
            let items = PercentEncoding.items(ofQuery: address.query)
            func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
            let from = value("from") ?? "2026-01-01", to = value("to") ?? "2027-01-01"
            let page = Int(value("page") ?? "1")!
            let months = (1...5).filter { ("2026-0\($0)-01"..<"2026-0\($0)-02").overlaps(from..<to) }
            let rows = months.dropFirst((page - 1) * 2).prefix(2).map {
                #"{"id": \#($0), "at": "2026-0\#($0)-01"}"#
            }
            var fields: HTTPFields = [.date: "Mon, 15 Jun 2026 00:00:00 GMT"]
            if page * 2 < months.count { fields[HTTPField.Name("X-Next-Page")!] = "\(page + 1)" }
            var response = Response(
                200, [], #"{"total": \#(months.count), "rows": [\#(rows.joined(separator: ","))]}"#)
            for field in fields { response.head.headerFields.append(field) }
            return response
        }
    }

    private static let text = """
        api = x
        rows.path = /rows?from={since:date}&to={until:date}
        rows.rows = rows
        rows.next = header page X-Next-Page
        rows.since = at
        rows.since-start = 2026-01-01
        rows.window = 60d
        rows.key = id
        rows.field.id = integer
        rows.field.at = time
        """

    @Test("periods follow one another up to the time of the answers, with their pages")
    func periods() async throws {
        let networking = Self.networking(), bench = try Bench(Self.text, networking)
        let pages = try await bench.pages(ListQuestion(bench.resource()))
        #expect(pages.flatMap(\.items).map { $0["id"] } == (1...5).map { .integer($0) })
        #expect(
            networking.paths == [
                "/rows?from=2026-01-01&to=2026-03-02", "/rows?from=2026-01-01&to=2026-03-02&page=2",
                "/rows?from=2026-03-02&to=2026-05-01", "/rows?from=2026-05-01&to=2026-06-30",
            ])
        #expect(pages.map(\.total) == [nil, nil, nil, nil] && pages.allSatisfy { $0.shortfall == nil })
    }

    @Test("a link continues in the middle of a period and with those after it")
    func resumed() async throws {
        let bench = try Bench(Self.text, Self.networking()), question = ListQuestion(try bench.resource())
        let first = try await bench.pages(question)[0].next
        #expect(
            first == "https://api.example.org/rows?from=2026-01-01&to=2026-03-02&page=2#since=1767225600000")
        let source = try Bench(Self.text, Self.networking())
        var next = first, ids: [ItemValue?] = []
        while let link = next {
            let fetched = try await source.source.feed!.page(
                ItemRequest(question, next: link), ifChangedFrom: Validator())
            guard case .changed(let page, let validator) = fetched else { break }
            ids += page.items.map { $0["id"] }
            next = page.next
            // Another period may have begun, which "not modified" would not show.
            #expect(next != nil || validator == Validator())
        }
        #expect(ids == (3...5).map { .integer($0) })
    }

    @Test(
        "the first page of each period may be one of several if the definition has no rule for further ones")
    func usualPages() async throws {
        let networking = ScriptedNetworking { request, _, _ in
            let count = request.path?.contains("from=2026-03-02") == true ? 100 : 7
            let rows = (1...count).map { #"{"id": \#($0), "at": "2026-03-03"}"# }
            var response = Response(200, [], #"{"rows": [\#(rows.joined(separator: ","))]}"#)
            response.head.headerFields[.date] = "Mon, 15 Jun 2026 00:00:00 GMT"
            return response
        }
        let next = "rows.next = header page X-Next-Page"
        for (rule, isIncomplete) in [("", true), ("rows.next = link", false)] {
            let bench = try Bench(Self.text.replacing(next, with: rule), networking)
            let reasons = try await bench.pages(ListQuestion(bench.resource())).map { $0.shortfall?.reason }
            #expect(reasons.map { $0 != nil } == [false, isIncomplete, false])
            #expect(
                reasons[1]?.hasPrefix("the list may continue, because 100 rows are often one page")
                    != !isIncomplete)
        }
    }

    @Test("a later sync begins at its mark")
    func later() async throws {
        let networking = Self.networking(), bench = try Bench(Self.text, networking)
        var question = ListQuestion(try bench.resource())
        question.since = .time(Timestamp("2026-05-20")!)
        _ = try await bench.pages(question)
        #expect(networking.paths == ["/rows?from=2026-05-20&to=2026-07-19"])
    }

    @Test(
        "a time is written as the definition says, and left out of the first sync",
        arguments: [
            ("rows.path = /rows?q=at%3E{since}", "/rows", "/rows?q=at%3E2026-02-03T04%3A05%3A06Z"),
            ("rows.path = /rows?a=1&from={since:seconds}", "/rows?a=1", "/rows?a=1&from=1770091506"),
            (
                "rows.path = /rows?q={since:yyyy/MM/dd%20HH:mm}&a=1", "/rows?a=1",
                "/rows?q=2026%2F02%2F03%2004%3A05&a=1"
            ),
            (
                "rows.path = /rows/{since:date}\nrows.since-start = 2020-01-01", "/rows/2020-01-01",
                "/rows/2026-02-03"
            ),
        ])
    func forms(_ lines: String, _ first: String, _ later: String) async throws {
        let networking = ScriptedNetworking(200, [], "[]")
        let rest = "\nrows.since = at\nrows.key = id\nrows.field.id = integer\nrows.field.at = time"
        let bench = try Bench("api = x\n" + lines + rest, networking)
        var question = ListQuestion(try bench.resource())
        _ = try await bench.pages(question)
        question.since = .time(Timestamp("2026-02-03T04:05:06Z")!)
        _ = try await bench.pages(question)
        #expect(networking.paths == [first, later])
    }

    @Test("a pattern writes every part of a time")
    func pattern() throws {
        let time = Timestamp("2026-02-03T04:05:06.007Z")!
        #expect(try TimeForm(reading: "yyyyMMddTHHmmss.SSSZ").text(of: time) == "20260203T040506.007Z")
        #expect(try TimeForm(reading: "dd.MM.yyyy").text(of: time) == "03.02.2026")
        #expect(try TimeForm(reading: "dd.MM.yyyy").unit == .seconds(86_400))
    }

    @Test(
        "lines about times that contradict each other are faults",
        arguments: [
            ("rows.since = from at", "names a parameter, but rows.path has {since}; keep one of them"),
            ("rows.window = 1d", "has no meaning without rows.since"),
            ("rows.since = at\nrows.window = forever", "is the length of a period"),
            ("rows.since = at\nrows.window = 7d", "needs the beginning of the first period"),
            ("rows.since = at", "has {until}, the end of a period; add its length"),
            (
                "rows.since = at\nrows.since-start = 2015-01-01\nrows.window = 6h",
                "is shorter than the difference between two times as they are sent, such as two dates"
            ),
            ("rows.since = id", "the field id is integer; it must be time"),
            ("rows.since = from at yyyy-MMM-dd", "is not a form of a time"),
            ("rows.since = at\nrows.since-start = soon", "is not a time; write a date such as 2015-01-01"),
        ])
    func faults(_ lines: String, _ fault: String) {
        let text = """
            api = x
            rows.path = /rows?from={since:date}&to={until:date}
            rows.key = id
            rows.field.id = integer
            rows.field.at = time

            """
        let faults = Definition.reading(path: "x", bytes: Array((text + lines).utf8)).faults
        #expect(faults.contains { $0.message.contains(fault) }, "\(faults.map(\.message))")
    }

    @Test("a word that is almost a time or a setting is a fault", arguments: ["sinc", "untill", "acount"])
    func almost(_ word: String) {
        let text =
            "api = x\nsetting.account = it\nrows.path = /rows/{\(word)}\nrows.key = id\nrows.field.id = text"
        let faults = Definition.reading(path: "x", bytes: Array(text.utf8)).faults
        #expect(faults.count == 1 && faults[0].message.contains("{\(word)} is almost {"))
    }
}

@Suite("settings, conditions and next pages in definitions")
struct SettingTests {
    private static let text = """
        format = 1
        api = x
        base-url = https://{site}.example.org/{account}
        setting.site = the first word of your address
        setting.account = the number of your account
        header.x-account = n {account}
        check = /{account}
        rows.path = /{account}/rows?a={account}
        rows.show = /{account}/{handle}
        rows.search = /{account}?q={text}
        rows.key = id
        rows.field.id = text
        """

    private func definition(_ settings: String) throws -> Definition {
        try Definition(ConfigurationFile(path: "x", bytes: Array(Self.text.utf8))).applying(
            settings: settings)
    }

    @Test("a setting is replaced in the address, in paths and in headers")
    func applied() async throws {
        let definition = try definition("site=Acme account=a/b")
        #expect(
            definition.baseURL == "https://acme.example.org/a%2Fb" && definition.hosts == ["*.example.org"])
        let networking = ScriptedNetworking(200, [], "[]"), bench = try Bench(definition, networking)
        _ = try await bench.items()
        #expect(networking.paths == ["/a%2Fb/a%2Fb/rows?a=a%2Fb"])
        #expect(networking.sent[0].headerFields[HTTPField.Name("x-account")!] == "n a/b")
        func identity(_ definition: Definition) throws -> String {
            try Bench(definition, networking).source.identity
        }
        #expect(try identity(definition) != identity(self.definition("site=Acme account=b")))
        // The address may be replaced, so its own setting may be absent.
        #expect(try self.definition("account=1").baseURL == "https://{site}.example.org/1")
    }

    @Test(
        "a setting that is absent, unknown or not valid is a fault",
        arguments: [
            ("site=acme", "account is not set (the number of your account); add account=VALUE"),
            (
                "acount=1",
                "the definition has no setting \"acount\" (did you mean \"account\"?); known: site, account"
            ),
            ("account", "\"account\" is not NAME=VALUE"),
            ("account=..", "the value of account is not 1 to 255 bytes"),
            ("account=a%0Ab", "the value of account is not 1 to 255 bytes"),
            ("account=1 site=evil.org/", "site is a part of the server's name"),
            ("account=1 site=a.b", "site is a part of the server's name"),
            ("account=%C3%A9", "the value of account has characters that no header may contain"),
        ])
    func refused(_ settings: String, _ problem: String) {
        let fault = #expect(throws: DefinitionFault.self) { try definition(settings) }
        #expect(fault?.problem.hasPrefix(problem) == true, "\(fault?.problem ?? "")")
    }

    @Test(
        "a definition of a newer format, and settings that cannot be one, are faults",
        arguments: [
            ("format = 2", "this version of Patchbay reads format 1, not \"2\""),
            ("setting.token = it", "is the name of a secret"),
            ("setting.since = it", "{since} has another meaning in addresses"),
            (
                "base-url = https://{sit}.example.org",
                "{sit} is not a setting; add a line such as setting.sit = what it is"
            ),
        ])
    func lines(_ line: String, _ problem: String) {
        let text = "api = x\nrows.path = /rows\nrows.key = id\nrows.field.id = integer\n" + line
        let faults = Definition.reading(path: "x", bytes: Array(text.utf8)).faults
        #expect(faults.count == 1 && faults[0].message.contains(problem), "\(faults.map(\.message))")
    }

    @Test(
        "rows that do not fulfil the condition are left out, whatever is in them",
        arguments: [
            ("rows.where = kind = a", [1]), ("rows.where = kind != a", [2, 3, 4]),
            ("rows.where = data/on", [2]), ("rows.where = not data/on", [1, 3, 4]),
            ("rows.where = data/on = true", [2]), ("rows.where = n = 3.0", [3]),
        ])
    func conditions(_ line: String, _ ids: [Int64]) async throws {
        let body = """
            {"total": 9, "data": [{"id": 1, "kind": "a", "name": "x"},
            {"id": 2, "kind": "b", "data": {"on": true}, "name": "x"},
            {"id": 3, "n": 3.0, "name": "x"}, {"id": 4, "name": "x"}]}
            """
        let bench = try Bench(rows: "rows.field.name = text\n" + line, ["/rows?limit=2": body])
        let pages = try await bench.pages(ListQuestion(bench.resource()))
        #expect(pages[0].items.map { $0["id"] } == ids.map { .integer($0) })
        // The number of rows includes those that are left out.
        #expect(pages[0].total == nil)
    }

    @Test("rows that are left out need no key")
    func stubs() async throws {
        let bench = try Bench(
            rows: "rows.where = kind = a\nrows.next = offset from",
            [
                "/rows?limit=2": #"{"data": [{"kind": "b", "id": []}, {"kind": "a", "id": 1}]}"#,
                "/rows?limit=2&from=2": #"{"data": []}"#,
            ])
        #expect(try await bench.items().count == 1)
    }

    @Test("a list continues after a row that is left out, even if no row of its page is kept")
    func leftOutLast() async throws {
        let rows = "rows.where = kind = a\nrows.next = last after id"
        let bench = try Bench(
            rows: rows,
            [
                "/rows?limit=2": #"{"data": [{"kind": "a", "id": 1}, {"kind": "b", "id": 2}]}"#,
                "/rows?limit=2&after=2": #"{"data": [{"kind": "b", "id": 3}, {"kind": "b", "id": "4"}]}"#,
                "/rows?limit=2&after=4": #"{"data": [{"kind": "a", "id": 5}]}"#,
                "/rows?limit=2&after=5": #"{"data": []}"#,
            ])
        #expect(try await bench.items().map { $0["id"] } == [.integer(1), .integer(5)])
        let without = try Bench(rows: rows, ["/rows?limit=2": #"{"data": [{"kind": "b"}]}"#])
        let error = await fault { _ = try await without.items() }
        #expect(error?.message.contains("rows.where leaves out, has no value for the field id") == true)
    }

    @Test("the address of a next page is an element of an array with a member")
    func matching() async throws {
        let bench = try Bench(
            rows: "rows.next = url link[relation=next]/url",
            [
                "/rows?limit=2": """
                {"data": [{"id": 1}], "link": [3, {"relation": "self", "url": "/no"},
                 {"url": "/b", "relation": "next"}]}
                """,
                "/b": #"{"data": [{"id": 2}], "link": [{"relation": "self", "url": "/b"}]}"#,
            ])
        #expect(try await bench.items().count == 2)
        let path = try #require(JSONPath("a/link[re%5D=x%3Dy]/b%5Bc]"))
        #expect(JSONPath(path.description) == path)
        let faults = Definition.reading(
            path: "x",
            bytes: Array(
                """
                api = x\nrows.path = /rows\nrows.key = id\nrows.field.id = integer
                rows.rows = link[a=b]/rows
                """.utf8)
        ).faults
        #expect(faults.count == 1 && faults[0].message.contains("only the address of a next page does"))
    }
}

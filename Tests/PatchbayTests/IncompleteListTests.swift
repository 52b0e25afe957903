import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Synchronization
import Testing

/// A list whose answers do not show all of its rows.
struct ListFixture {
    static let rows = """
        api = x
        base-url = https://api.example.org
        rows.path = /rows?limit=3
        rows.rows = data
        rows.field.id = text
        rows.field.name = text?

        """

    let gateway: Gateway
    let network: ScriptedNetworking

    /// - Parameters:
    ///   - answers: the bodies by the paths of their requests; a request for another path gets 404.
    ///   - path: the path of the list.
    init(
        _ lines: String, key: String = "id", path: String? = nil, _ answers: [String: String]
    ) async throws {
        try await self.init(lines + "\nrows.key = \(key)\n", path: path) { answers[$0.path ?? ""] }
    }

    /// - Parameters:
    ///   - settings: further keys of the configuration, with their values.
    ///   - date: the source's time.
    init(
        _ lines: String, path: String? = nil, settings: [String: String] = [:], date: String? = nil,
        _ answer: @escaping @Sendable (HTTPRequest) -> String?
    ) async throws {
        let rows = path.map { Self.rows.replacing("/rows?limit=3", with: $0) } ?? Self.rows
        try await self.init(definition: rows + lines, settings: settings, date: date, answer)
    }

    init(
        definition: String, settings: [String: String] = [:], date: String? = nil,
        _ answer: @escaping @Sendable (HTTPRequest) -> String?
    ) async throws {
        let network = ScriptedNetworking { request, _, _ in
            answer(request).map { Response(200, date.map { [("Date", $0)] } ?? [], $0) }
                ?? Response(404, [], #"{"message": "Not Found"}"#)
        }
        gateway = try await Gateway.scripted(definition, over: network, settings)
        self.network = network
    }

    func sync() async throws -> SyncEnd { try await gateway.sync(question).run().0 }

    /// The reason why the sync and then the stored list are incomplete, without the places; nil when both are complete.
    func reason() async throws -> String? {
        try await reasonWithPlaces().map { reason in
            reason.range(of: " (at: ").map { String(reason[..<$0.lowerBound]) } ?? reason
        }
    }

    func reasonWithPlaces() async throws -> String? {
        let end = try await sync()
        let stored = try await list()
        switch end {
        case .complete:
            #expect(stored?.shortfall == nil)
            return nil
        case .incomplete(let shortfall):
            #expect(stored?.shortfall == shortfall)
            return shortfall.reason
        case .failed(let error): return error.message
        case .interrupted, .limitReached: return "\(end)"
        }
    }

    var question: NamedQuestion {
        get throws { try gateway.question(gateway.resource("rows")) }
    }

    /// The stored list.
    func list() async throws -> ItemList? {
        await gateway.list(try question, limit: 100, policy: .localOnly).ending.value
    }

    func names() async throws -> [String] { try await list()?.items.compactMap { $0.text("name") } ?? [] }
}

@Suite("A list of which rows may be missing says so")
struct IncompleteListTests {
    @Test(
        "a key that two different rows have: the first stays, and the sync and the stored list are incomplete"
    )
    func clash() async throws {
        let body =
            #"{"data": [{"id": "x", "name": "a"}, {"id": "x", "name": "b"}, {"id": "y", "name": "c"}]}"#
        let fixture = try await ListFixture("rows.next = none", ["/rows?limit=3": body])
        let reason = try await fixture.reason()
        #expect(
            reason == "1 of 3 rows has the key of another row; rows.key = id does not identify them "
                + "(name \"a\", \"b\" under key \"x\")")
        #expect(try await fixture.names() == ["a", "c"])
    }

    @Test("the same row twice with the same values is normal")
    func twice() async throws {
        let body = #"{"data": [{"id": "x", "name": "a"}, {"id": "x", "name": "a"}]}"#
        let fixture = try await ListFixture("rows.next = none", ["/rows?limit=3": body])
        #expect(try await fixture.reason() == nil)
        #expect(try await fixture.names() == ["a"])
    }

    @Test("an empty page that has an error beside its rows does not end the list")
    func errorBesideRows() async throws {
        let answers = [
            "/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}], "next": "n"}"#,
            "/rows?limit=3&c=n": #"{"data": [], "error": "busy"}"#,
        ]
        let fixture = try await ListFixture("rows.next = cursor c next", answers)
        #expect(try await fixture.reason()?.hasPrefix("the answer may be an error") == true)
        let marked = try await ListFixture(
            "rows.next = cursor c next\nerror = error\nerror.text = error", answers)
        #expect(try await marked.reason()?.contains("busy") == true)
    }

    @Test("members named like signs in rows, and in a body that is rows, are values")
    func rowsLikeSigns() async throws {
        let body = #"{"data": [{"id": "x", "name": "a", "error": "e", "success": false, "next": "y"}]}"#
        let fixture = try await ListFixture("", ["/rows?limit=3": body])
        #expect(try await fixture.reason() == nil)
    }

    @Test("a page that has come again whole with other values is not taken for rows that moved")
    func parts() async throws {
        let fixture = try await ListFixture(
            "rows.next = cursor c next",
            [
                "/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}, {"id": "y"}], "next": "n"}"#,
                "/rows?limit=3&c=n": #"{"data": [{"id": "x"}, {"id": "y", "name": "b"}]}"#,
            ])
        #expect(try await fixture.reason()?.contains("the key of") == true)
        #expect(try await fixture.names() == ["a"])
    }

    @Test("a page number that the answer contradicts is reported")
    func pageFromZero() async throws {
        let answers = [
            "/rows?limit=3": #"{"data": [{"id": "x"}], "next": "/rows?limit=3&page=1"}"#,
            "/rows?limit=3&page=0": #"{"data": [{"id": "x"}], "next": "/rows?limit=3&page=1"}"#,
            "/rows?limit=3&page=1": #"{"data": [{"id": "y"}]}"#,
            "/rows?limit=3&page=2": #"{"data": []}"#,
        ]
        let reason = try await ListFixture("rows.next = page page", answers).reason()
        #expect(
            reason?.hasPrefix("the answer names page 1 as the next one, but page 2 follows by rows.next")
                == true)
        #expect(reason?.contains("rows.next = page page 0") == true, "\(reason ?? "complete")")
        #expect(try await ListFixture("rows.next = page page 0", answers).reason() == nil)
    }

    @Test(
        "pages that the source numbers from 1 and the definition from 0 are stored once",
        arguments: [
            #""next": "/rows?limit=3&page=2""#, #""page": 1"#, #""count": 1"#,
        ])
    func pageFromOne(_ member: String) async throws {
        let first = #"{"data": [{"id": "x"}, {"id": "y"}], \#(member)}"#
        let fixture = try await ListFixture(
            "rows.next = page page 0",
            [
                "/rows?limit=3": first, "/rows?limit=3&page=1": first,
                "/rows?limit=3&page=2": #"{"data": [{"id": "z"}]}"#,
                "/rows?limit=3&page=3": #"{"data": []}"#,
            ])
        for _ in 1...2 {
            let (end, progress) = try await fixture.gateway.sync(fixture.question).run()
            guard case .complete = end else {
                Issue.record("\(end)")
                return
            }
            #expect(progress.rows == 3 && progress.requests == 4)
            #expect(try await fixture.list()?.items.map { $0.text("id") } == ["x", "y", "z"])
        }
        let run = try await fixture.gateway.store.read { reading in
            try reading.list(StoredListRun.self, Query(StoredListRun.collection)).first
        }
        #expect(run?.unsettled == nil && run?.position == 3)
    }

    @Test("a page 1 with other rows follows the first one, and pages with the same rows are an error")
    func pageFromZeroWithCount() async throws {
        let fixture = try await ListFixture(
            "rows.next = page page 0",
            [
                "/rows?limit=3": #"{"data": [{"id": "x"}], "page": 1}"#,
                "/rows?limit=3&page=1": #"{"data": [{"id": "y"}], "page": 2}"#,
                "/rows?limit=3&page=2": #"{"data": [], "page": 3}"#,
            ])
        #expect(try await fixture.reason() == nil)
        #expect(try await fixture.list()?.items.map { $0.text("id") } == ["x", "y"])
        let same = try await ListFixture("rows.next = page page 0\nrows.key = id") { _ in
            #"{"data": [{"id": "x"}]}"#
        }
        #expect(try await same.reason()?.hasPrefix("three consecutive pages") == true)
    }

    @Test("a cursor that stays the same ends the list on a page without rows")
    func standingCursor() async throws {
        func reason(_ last: String) async throws -> String? {
            try await ListFixture(
                "rows.next = cursor c next",
                [
                    "/rows?limit=3": #"{"data": [{"id": "x"}], "next": "n"}"#,
                    "/rows?limit=3&c=n": #"{"data": [\#(last)], "next": "n"}"#,
                ]
            ).reason()
        }
        #expect(try await reason("") == nil)
        #expect(try await reason(#"{"id": "y"}"#)?.hasPrefix("the last page names itself") == true)
    }

    @Test("as many rows as pages usually have, and no rule for further pages, may be one page of several")
    func usualPage() async throws {
        func body(_ count: Int) -> String {
            #"{"data": [\#((1...count).map { #"{"id": "\#($0)"}"# }.joined(separator: ","))]}"#
        }
        let fixture = try await ListFixture("", path: "/rows", ["/rows": body(30)])
        #expect(
            try await fixture.reason()?.hasPrefix(
                "the list may continue, because 30 rows are often one page of several and the definition has no"
            )
                == true)
        for (lines, count) in [("", 31), ("rows.next = none", 30), ("rows.next = link", 30)] {
            #expect(try await ListFixture(lines, path: "/rows", ["/rows": body(count)]).reason() == nil)
        }
    }

    @Test("a row that moved to the next page with new values is taken")
    func moved() async throws {
        let fixture = try await ListFixture(
            "rows.next = cursor c next",
            [
                "/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}], "next": "n"}"#,
                "/rows?limit=3&c=n": #"{"data": [{"id": "x", "name": "new"}, {"id": "y", "name": "b"}]}"#,
            ])
        #expect(try await fixture.reason() == nil)
        #expect(try await fixture.names() == ["new", "b"])
    }

    @Test("a key that rows of two pages have: the first stays")
    func clashOfPages() async throws {
        let fixture = try await ListFixture(
            "rows.next = cursor c next",
            [
                "/rows?limit=3":
                    #"{"data": [{"id": "x", "name": "a"}, {"id": "y", "name": "b"}], "next": "n"}"#,
                "/rows?limit=3&c=n": #"{"data": [{"id": "z", "name": "c"}, {"id": "x", "name": "d"}]}"#,
            ])
        for _ in 1...2 {
            #expect(
                try await fixture.reason()
                    == "1 of 2 rows has the key of another row; rows.key = id does not identify them "
                    + "(name \"a\", \"d\" under key \"x\")")
            #expect(try await fixture.names() == ["a", "b", "c"])
        }
    }

    @Test(
        "a row that was edited while the list was read is taken, in the precision of its time",
        arguments: [
            ("2026-09-01T09:00:00Z", "2026-09-01T10:00:20Z", true),
            ("2026-09-01T09:00:00Z", "2026-09-01T10:00:00Z", true),
            ("2026-09-01T10:00:00Z", "2026-09-01T10:00:00Z", true),
            ("2026-09-01T09:00:00Z", "2026-09-01T09:59:00Z", false),
            ("2026-09-01T10:00:19Z", "2026-09-01T10:00:19Z", false),
            ("2026-08-31", "2026-09-01", true), ("2026-09-01", "2026-09-01", false),
            ("2026-08-30", "2026-08-31", false),
        ])
    func editedRow(_ first: String, _ second: String, _ isEdit: Bool) async throws {
        // Another time than that of the last change may be what a row is about, and is not rounded.
        for since in ["rows.since = since at\n", ""] {
            let fixture = try await ListFixture(
                "rows.next = cursor c next\nrows.key = id\nrows.field.at = time?\n" + since,
                date: "Tue, 01 Sep 2026 10:00:20 GMT"
            ) { request in
                request.path?.contains("c=n") == true
                    ? #"{"data": [{"id": "z", "name": "c"}, {"id": "x", "name": "new", "at": "\#(second)"}]}"#
                    : #"{"data": [{"id": "x", "name": "a", "at": "\#(first)"}, {"id": "y"}], "next": "n"}"#
            }
            let isTaken = isEdit && (!since.isEmpty || second.hasSuffix(":20Z"))
            #expect((try await fixture.reason() == nil) == isTaken, "\(since)")
            #expect(try await fixture.list()?.items.first?.text("name") == (isTaken ? "new" : "a"))
        }
    }

    @Test(
        "rows of two arguments with one key: those of the first list stay, unless keys are unique everywhere")
    func clashOfLists() async throws {
        let answers = [
            "/sites/a": #"{"data": [{"id": "1", "name": "a1"}]}"#,
            "/sites/b": #"{"data": [{"id": "1", "name": "b1"}, {"id": "2", "name": "b2"}]}"#,
        ]
        for isUnique in [false, true] {
            let scope = isUnique ? "\nrows.key-scope = api" : ""
            let fixture = try await ListFixture(
                "rows.next = none\nrows.path.site = /sites/{site}" + scope, answers)
            let rows = try fixture.gateway.resource("rows")
            for (site, names) in [("a", ["a1"]), ("b", isUnique ? ["b1", "b2"] : ["b2"])] {
                for _ in 1...2 {
                    let question = try fixture.gateway.question(rows, list: "site", arguments: [site])
                    let end = await fixture.gateway.sync(question).run().0
                    let list = await fixture.gateway.list(question, policy: .localOnly).ending.value
                    #expect(list?.items.compactMap { $0.text("name") } == names)
                    guard site == "b", !isUnique else {
                        #expect(list?.shortfall == nil)
                        continue
                    }
                    guard case .incomplete(let shortfall) = end else {
                        return #expect(Bool(false), "\(end)")
                    }
                    #expect(list?.shortfall == shortfall)
                    #expect(
                        shortfall.reason.hasPrefix(
                            "1 of 2 rows has the key of another row in another list; rows.key = id does not identify "
                                + "them (name \"a1\", \"b1\" under key \"1\"); "))
                    #expect(shortfall.reason.contains("rows.key-scope = api (at: x.conf:"))
                }
            }
        }
    }

    @Test("an import reports rows with the key of another row, and keeps the first")
    func imported() async throws {
        let fixture = try await ListFixture("rows.next = none", [:])
        var bytes = Array(
            #"[{"id": "x", "name": "a"}, {"id": "x", "name": "b"}, {"id": "y", "name": "c"}]"#.utf8)
        let gateway = fixture.gateway, rows = try gateway.resource("rows")
        let error = await #expect(throws: PatchbayError.self) {
            try await gateway.importItems(rows, name: "rows.json") { _ in
                defer { bytes = [] }
                return bytes
            }
        }
        #expect(error?.message.hasPrefix("rows.json: 1 of 3 rows has the key of another row;") == true)
        #expect(error?.rowsImported == 2)
        let stored = try await gateway.store.read { try $0.count(Query(rows.collection)) }
        #expect(stored == 2)
    }

    @Test(
        "a row without a usable key is left out and named, and the other rows are kept",
        arguments: [
            (#"{"name": "b"}"#, "[1].id: expected a text, found none"),
            (#"{"id": null, "name": "b"}"#, "[1].id: expected a text, found none"),
            (#"{"id": "", "name": "b"}"#, "[1].id: expected a text, found an empty one"),
            (#"{"id": "a\u0000", "name": "b"}"#, "[1].id: the text contains U+0000"),
            (#"{"id": "a\ud800", "name": "b"}"#, "[1].id: the text contains half of a surrogate pair"),
        ])
    func unusableKey(_ row: String, _ problem: String) async throws {
        let fixture = try await ListFixture(
            "rows.next = cursor c next",
            [
                "/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}, \#(row)], "next": "n"}"#,
                "/rows?limit=3&c=n": #"{"data": [{"id": "y", "name": "c"}], "next": null}"#,
            ])
        let reason = try await fixture.reason()
        #expect(
            reason?.hasPrefix(
                "1 of 2 rows of a page was left out, because they cannot be identified: \(problem)")
                == true, "\(reason ?? "")")
        #expect(try await fixture.names() == ["a", "c"])
    }

    @Test("keys with characters that look like repaired ones stay different rows")
    func exactKeys() async throws {
        let body = #"""
            {"data": [{"id": "a\ufffd", "name": "1"}, {"id": "a\ud83d\ude00", "name": "2"}, {"id": "a", "name": "3"}]}
            """#
        let fixture = try await ListFixture("rows.next = none", ["/rows?limit=3": body])
        #expect(try await fixture.reason() == nil)
        #expect(try await fixture.names().sorted() == ["1", "2", "3"])
    }

    @Test(
        "an end that the answer contradicts is reported",
        arguments: [
            ("", #""total": 13"#, "the source counts 13 rows, but the list ended after 1; check rows.next"),
            ("", #""meta": {"total_count": 13}"#, "the source counts 13 rows"),
            ("rows.total = meta/n", #""meta": {"n": 2}"#, "the source counts 2 rows"),
            ("rows.next = none\nrows.total = n", #""n": 2"#, "the source counts 2 rows"),
            (
                "", #""has_more": true"#,
                "the list may continue, because \"has_more\" is true; rows.next states"
            ),
            (
                "rows.next = cursor c next", #""next": null, "has_more": true"#,
                "the list may continue, because \"has_more\" is true"
            ),
            ("", #""isLast": false"#, "the list may continue, because \"isLast\" is false"),
            (
                "", #""paging": {"next": "MjU="}"#,
                "the list may continue, because the answer names a next page at \"paging/next\"; rows.next = url "
            ),
            (
                "", #""continue": {"apcontinue": "B", "continue": "-||"}"#,
                "the list may continue, because the answer names a next page at \"continue/apcontinue\""
            ),
            (
                "", #""topics": {"more_topics_url": "/latest?page=1"}"#,
                "the list may continue, because the answer names a next page at \"topics/more_topics_url\""
            ),
            ("", #""end_of_stream": false"#, "the list may continue, because \"end_of_stream\" is false"),
            (
                "", #""error": {"code": 7}"#,
                "the answer may be an error, because there is a value at \"error\""
            ),
            (
                "", #""errors": ["late"]"#,
                "the answer may be an error, because there is a value at \"errors\""
            ),
            (
                "", #""success": false"#,
                "the answer may be an error, because \"success\" is false; error = PATH"
            ),
            ("", #""status": "Error""#, "the answer may be an error, because \"status\" is Error"),
            (
                "rows.next = none", #""timed_out": true"#,
                "the answer may be an error, because \"timed_out\" is"
            ),
            (
                "", #""_links": {"next": {"href": "/rows?page=2"}}"#,
                "the list may continue, because the answer names a next page at \"_links/next/href\""
            ),
            (
                "rows.next = cursor c next\nrows.end = not hasMore", #""next": "n", "has_more": true"#,
                "the list may continue, because \"has_more\" is true; rows.end names \"hasMore\", which the answer does"
            ),
            ("rows.next = page page\nrows.end = not hasMore", #""total": 2"#, "the source counts 2 rows"),
            (
                "rows.next = last after id\nrows.end = has_more", #""has_more": true"#,
                "the list may continue, because \"has_more\" is true; rows.end takes this for the end"
            ),
            (
                "rows.next = cursor c next\nrows.end = not others", #""others": true"#,
                "the list may continue, because \"others\" is true; rows.next states"
            ),
            (
                "error = oops", #""timed_out": true"#,
                "the answer may be an error, because \"timed_out\" is true"
            ),
        ])
    func contradiction(_ lines: String, _ members: String, _ start: String) async throws {
        let body = #"{"data": [{"id": "x", "name": "a"}], \#(members)}"#
        let fixture = try await ListFixture(lines, ["/rows?limit=3": body])
        let reason = try await fixture.reason()
        #expect(reason?.hasPrefix(start) == true, "\(reason ?? "complete")")
        #expect(try await fixture.names() == ["a"])
    }

    @Test(
        "an end that the definition settles, or that the answer confirms, is complete",
        arguments: [
            ("rows.next = none", #""total": 13, "has_more": true, "next": "x""#),
            ("rows.total = none", #""total": 13"#), ("", #""total": 1"#), ("", #""has_more": false"#),
            (
                "rows.next = cursor c next\nrows.end = not has_more",
                #""next": "x", "has_more": false, "total": 13"#
            ),
            ("", #""next": null"#), ("", #""next": """#),
            ("rows.next = cursor c next\nrows.end = last", #""next": "x", "last": true, "total": 13"#),
            ("rows.next = page page\nrows.end = not links/next", #""links": {"self": "/rows"}, "total": 1"#),
            ("rows.next = cursor c next\nrows.end = not has_more", #""next": "x""#),
            ("error = none", #""error": "x", "success": false"#),
            ("error = not ok", #""ok": true, "errors": ["a detail"]"#),
            ("", #""error": {"code": "ok", "message": ""}, "errors": "0", "state": "failed""#),
            ("", #""_links": {"self": {"href": "/rows"}, "next": {"href": null}}"#),
            ("error = none", #""timed_out": true"#),
            ("", #""error": null, "errors": [], "success": true, "status": "ok", "partial": false"#),
        ])
    func settled(_ lines: String, _ members: String) async throws {
        let body = #"{"data": [{"id": "x", "name": "a"}], \#(members)}"#
        let fixture = try await ListFixture(lines, ["/rows?limit=3": body])
        #expect(try await fixture.reason() == nil)
    }

    @Test("a full first page with a next one is not the end because the member that would show it is absent")
    func misspelledMark() async throws {
        let body = #"{"data": [{"id": "x", "name": "a"}], "next": "n"}"#
        let lines = "rows.next = cursor c next\nrows.end = not others"
        let fixture = try await ListFixture(lines, path: "/rows?limit=1", ["/rows?limit=1": body])
        #expect(
            try await fixture.reason()
                == "the list may continue, because the last page is full (1 row) and has a next page at \"next\"; "
                + "rows.end names \"others\", which the answer does not have; if it is left out where it is false, "
                + "rows.end = empty follows the list to a page without rows")
    }

    private static let emptyPages: [(rule: String, query: String, members: String, isEnd: Bool)] = [
        ("page page", "page=2", #""page": 2, "total_pages": 3"#, false),
        ("page page", "page=2", #""page": 2, "total_pages": 2"#, true),
        ("page page 0", "page=1", #""page": 1, "total_pages": 2"#, true),
        ("offset offset", "offset=1", #""has_more": true"#, false),
        ("offset offset", "offset=1", #""links": {"next": "/rows?offset=2"}"#, false),
        ("offset offset", "offset=1", #""has_more": false, "links": {"next": null}"#, true),
        ("last after id", "after=x", #""has_more": true"#, false),
        ("cursor c next", "c=n", #""next": null, "next_page_url": "/rows?c=o""#, false),
        ("cursor c next", "c=n", #""page": 1, "total_pages": 3"#, true),
        ("cursor c next", "c=n", #""page": 2, "total_pages": 4"#, false),
    ]

    @Test("an empty page is the end unless its answer says that more rows follow", arguments: emptyPages)
    func emptyPage(_ rule: String, _ query: String, _ members: String, _ isEnd: Bool) async throws {
        let answers = [
            "/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}], "next": "n"}"#,
            "/rows?limit=3&\(query)": #"{"data": [], \#(members)}"#,
        ]
        let next = "rows.next = \(rule)\n"
        let reason = try await ListFixture(next, answers).reason()
        #expect((reason == nil) == isEnd, "\(reason ?? "complete")")
        if let reason {
            #expect(reason.hasPrefix("the last page is empty, but "))
            #expect(reason.contains("; rows.end = empty states that an empty page is the end"))
        }
        #expect(try await ListFixture(next + "rows.end = empty\n", answers).reason() == nil)
    }

    @Test("rows that an empty answer lacks, which states that more follow, stay listed")
    func emptyAnswer() async throws {
        let isEmpty = Flag()
        let lines = "rows.next = last after id\nrows.end = not has_more\nrows.key = id\n"
        let fixture = try await ListFixture(lines) { request in
            if isEmpty.value { return #"{"data": [], "has_more": true}"# }
            return request.path?.contains("after") == true
                ? #"{"data": [{"id": "y", "name": "b"}], "has_more": false}"#
                : #"{"data": [{"id": "x", "name": "a"}], "has_more": true}"#
        }
        #expect(try await fixture.reason() == nil)
        isEmpty.set()
        #expect(
            try await fixture.reason()?.hasPrefix("the last page is empty, but \"has_more\" is true") == true)
        let rows = try fixture.gateway.resource("rows")
        let listed = try await fixture.gateway.store.read { reading in
            try reading.listedItems(Query(rows.collection), of: rows, limit: 10).count
        }
        #expect(listed == 2)
    }

    @Test(
        "a list whose rows are identified by their places is requested whole, because newer rows would replace others"
    )
    func newerPlaces() async throws {
        let old = #"{"id": "x", "name": "a", "updated": "2026-01-01T00:00:00Z"}"#
        let new = #"{"id": "y", "name": "b", "updated": "2026-01-02T00:00:00Z"}"#
        let fixture = try await ListFixture(
            """
            rows.next = none
            rows.key = place
            rows.field.place = integer @place
            rows.field.updated = time
            rows.since = since updated

            """
        ) { request in
            request.path?.contains("since") == true
                ? #"{"data": [\#(new)]}"# : #"{"data": [\#(old), \#(new)]}"#
        }
        for _ in 0..<2 {
            #expect(try await fixture.reason() == nil)
            #expect(try await fixture.names() == ["a", "b"])
        }
    }

    @Test("a full page is the end only if the definition states how pages follow")
    func fullPage() async throws {
        let body = #"{"data": [{"id": "x"}, {"id": "y"}, {"id": "z"}]}"#
        let silent = try await ListFixture("", ["/rows?limit=3": body])
        #expect(
            try await silent.reason()
                == "the list may continue, because the last page is full (3 rows) and the definition has no rows.next; "
                + "rows.next = link states that a Link header names every next page, and rows.next = none that there "
                + "is only one page")
        let considered = try await ListFixture("rows.next = link", ["/rows?limit=3": body])
        #expect(try await considered.reason() == nil)
    }

    @Test("a page that names itself as the next one is kept, and the message names the rule that is missing")
    func own() async throws {
        let fixture = try await ListFixture(
            "rows.next = cursor c next",
            [
                "/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}], "next": "n", "has_more": true}"#,
                "/rows?limit=3&c=n": #"{"data": [{"id": "y", "name": "b"}], "next": "n", "has_more": false}"#,
            ])
        #expect(
            try await fixture.reason()
                == "the last page names itself as the next one; \"has_more\" is false, so set rows.end = not has_more "
                + "in the definition")
        #expect(try await fixture.names() == ["a", "b"])
    }

    @Test(
        "a list of pages that begin with the last value ends with rows of that value, if they are not a full page",
        arguments: ["/rows?limit=3", "/rows"])
    func ties(_ path: String) async throws {
        for (values, isComplete) in [(["a", "b", "c", "c"], true), (["a", "b", "c", "c", "c"], false)] {
            let fixture = try await ListFixture(
                "rows.next = last from name included\nrows.key = id", path: path
            ) { request in
                let from = request.path?.split(separator: "from=").dropFirst().first ?? ""
                let rows = values.enumerated().filter { $0.element >= from }.prefix(3)
                    .map { #"{"id": "\#($0.offset)", "name": "\#($0.element)"}"# }
                return "{\"data\": [\(rows.joined(separator: ","))]}"
            }
            let reason = try await fixture.reason()
            #expect(isComplete ? reason == nil : reason?.hasPrefix("the last page names itself") == true)
            #expect(try await fixture.names() == values)
        }
    }

    @Test("rows that are on two pages by definition do not hide that others are gone")
    func borderRows() async throws {
        let values = Mutex(["a", "b", "c", "d", "e"])
        let fixture = try await ListFixture("rows.next = last from name included\nrows.key = id") { request in
            let from = request.path?.split(separator: "from=").dropFirst().first ?? ""
            let names = values.withLock { $0.filter { $0 >= from }.prefix(3) }
            let rows = names.map { #"{"id": "\#($0)", "name": "\#($0)"}"# }
            return "{\"data\": [\(rows.joined(separator: ","))]}"
        }
        #expect(try await fixture.reason() == nil)
        values.withLock { $0.removeAll { $0 == "b" } }
        for _ in 1...2 { #expect(try await fixture.reason() == nil) }
        #expect(try await fixture.names() == ["a", "c", "d", "e"])
    }

    @Test("a next page at another server is not requested, and this page is kept")
    func elsewhere() async throws {
        let body =
            #"{"data": [{"id": "x", "name": "a"}], "next": "https://other.example.org:8443/rows?page=2"}"#
        let fixture = try await ListFixture("rows.next = url next", ["/rows?limit=3": body])
        let reason = try await fixture.reason()
        #expect(
            reason?.hasPrefix(
                "the next page \"https://other.example.org:8443/rows?page=2\" is not at https://api.example.org, so it "
                    + "was not requested") == true, "\(reason ?? "")")
        #expect(try await fixture.names() == ["a"])
        #expect(fixture.network.sent.count == 1)
    }

    @Test(
        "source.keep-base-url requests next pages at the base URL, and sends nothing to the other server",
        arguments: [
            "https://internal.example:8443/rows?page=2", "http://internal.example/rows?page=2",
            "//other.example/rows?page=2",
        ])
    func keptBaseURL(next: String) async throws {
        let fixture = try await ListFixture(
            "rows.next = url next\nrows.key = id", settings: ["source.keep-base-url": "on"]
        ) { request in
            switch (request.authority, request.path) {
            case ("api.example.org", "/rows?limit=3"):
                #"{"data": [{"id": "x", "name": "a"}], "next": "\#(next)"}"#
            case ("api.example.org", "/rows?page=2"): #"{"data": [{"id": "y", "name": "b"}]}"#
            default: nil
            }
        }
        #expect(try await fixture.reason() == nil)
        #expect(try await fixture.names() == ["a", "b"])
        #expect(fixture.network.sent.count == 2)
    }

    @Test("a reason names the line of the definition that settles it, and the address of the answer")
    func places() async throws {
        let end = try await ListFixture("rows.key = id\n") { _ in
            #"{"data": [{"id": "x", "name": "a"}], "has_more": true}"#
        }
        // Without a line about pages, the one to add belongs to the list's path.
        #expect(
            try await end.reasonWithPlaces()?.hasSuffix(
                " (at: x.conf:3, url: https://api.example.org/rows?limit=3)") == true)
        let clash = try await ListFixture(
            "rows.next = none",
            ["/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}, {"id": "x", "name": "b"}]}"#])
        #expect(try await clash.reasonWithPlaces()?.hasSuffix("under key \"x\") (at: x.conf:8)") == true)
    }

    @Test("a list that ends before the number of rows on its first page is incomplete")
    func totalOfFirstPage() async throws {
        let fixture = try await ListFixture(
            "rows.next = cursor c next",
            [
                "/rows?limit=3": #"{"data": [{"id": "x", "name": "a"}], "next": "n", "total": 3}"#,
                "/rows?limit=3&c=n": #"{"data": []}"#,
            ])
        #expect(
            try await fixture.reason()?.hasPrefix(
                "the source counts 3 rows, but the list ended after 1; check rows.next") == true)
    }

    @Test("a status ends a list after its first page, and empties nothing on the first one")
    func status() async throws {
        let isLost = Flag()
        let fixture = try await ListFixture("rows.next = page p\nrows.end = 404\nrows.key = id\n") {
            request in
            if isLost.value { return nil }
            return request.path == "/rows?limit=3" ? #"{"data": [{"id": "x", "name": "a"}]}"# : nil
        }
        #expect(try await fixture.reason() == nil)
        isLost.set()
        guard case .failed(let error) = try await fixture.sync() else {
            return #expect(Bool(false), "no error")
        }
        #expect(error.code == .notFound)
        #expect(try await fixture.names() == ["a"])
    }

    @Test(
        "rows that an incomplete list lacks are not marked as no longer listed, and the reason goes with its cause"
    )
    func healed() async throws {
        let total = Flag()
        let fixture = try await ListFixture("rows.key = id\n") { _ in
            total.value
                ? #"{"data": [{"id": "x", "name": "a"}], "total": 2}"#
                : #"{"data": [{"id": "x", "name": "a"}, {"id": "y", "name": "b"}], "total": 2}"#
        }
        #expect(try await fixture.reason() == nil)
        total.set()
        #expect(try await fixture.reason()?.hasPrefix("the source counts 2 rows") == true)
        let rows = try fixture.gateway.resource("rows")
        let listed = try await fixture.gateway.store.read { reading in
            try reading.listedItems(Query(rows.collection), of: rows, limit: 10).count
        }
        #expect(listed == 2)
    }

    @Test("an argument is a field of the key, so that two lists keep their rows apart")
    func argument() async throws {
        let lines = """
            qs.path = /qs?site={site}
            qs.rows = data
            qs.next = none
            qs.key = site id
            qs.field.site = text {site}
            qs.field.id = integer

            """
        let body = #"{"data": [{"id": 1}]}"#
        let fixture = try await ListFixture(lines, ["/qs?site=a": body, "/qs?site=b": body])
        let resource = try fixture.gateway.resource("qs")
        for site in ["a", "b"] {
            let question = try fixture.gateway.question(resource, arguments: [site])
            guard case .complete = await fixture.gateway.sync(question).run().0 else {
                return #expect(Bool(false), "not complete")
            }
        }
        let keys = try await fixture.gateway.store.read { reading in
            try reading.listedItems(Query(resource.collection), of: resource, limit: 10).map(\.keyText)
        }
        #expect(keys == ["a/1", "b/1"])
    }

    @Test(
        "a list without rows has a note if the definition leaves all of them out, or the answer has others",
        arguments: [
            ("rows.where = kind = b", "rows.where keeps none of the 2 rows that the source returned"),
            ("rows.where = kind = a", nil),
            (
                "rows.rows = items?",
                "the answer has nothing at rows.rows = items?, but rows at \"data\"; correct the path"
            ),
        ])
    func emptyLists(_ line: String, _ words: String?) async throws {
        let body = #"{"data": [{"id": "x", "kind": "a"}, {"id": "y", "kind": "c"}]}"#
        let own = line.hasPrefix("rows.rows") ? "rows.rows = data\n" : ""
        let text = ListFixture.rows.replacing(own, with: "") + "rows.next = none\nrows.key = id\n" + line
        let fixture = try await ListFixture(definition: text) { _ in body }
        var notes: [String] = []
        for await event in try fixture.gateway.sync(fixture.question) {
            if case .noted(_, let note) = event { notes.append(note) }
        }
        #expect(notes.count == (words == nil ? 0 : 1))
        if let words { #expect(notes.first?.hasPrefix(words) == true, "\(notes)") }
    }

    @Test("members that no answer of a list of 20 rows has are noted, except those that rows may lack")
    func unfound() async throws {
        let count = Mutex(0)
        let fixture = try await ListFixture(
            """
            rows.next = none
            rows.key = id
            rows.field.label = text
            rows.field.kind = text of.kind
            """
        ) { _ in
            let count = count.withLock { $0 }
            let rows = (0..<count).map { "{\"id\": \"\($0)\", \"label\": null}" }
            return "{\"data\": [\(rows.joined(separator: ", "))]}"
        }
        for (rows, expected) in [(19, [] as [String]), (20, ["rows.field.kind"])] {
            count.withLock { $0 = rows }
            var notes: [String] = []
            for await event in try fixture.gateway.sync(fixture.question, from: .theBeginning) {
                if case .noted(_, let note) = event { notes.append(String(note.prefix { $0 != ":" })) }
            }
            #expect(notes == expected)
        }
    }

    @Test("values that are stored otherwise than sent are counted, and a member that appears is named once")
    func drift() async throws {
        let more = Mutex("")
        let fixture = try await ListFixture("rows.next = none\nrows.key = id\nrows.field.size = integer?") {
            _ in
            #"{"data": [{"id": "x", "name": "a\u0000", "size": "many", "b c": 1\#(more.withLock { $0 })}]}"#
        }
        for (member, appeared) in [("", []), (#", "label": 2"#, ["rows.label"]), (#", "label": 2"#, [])] {
            more.withLock { $0 = member }
            let (end, progress) = try await fixture.gateway.sync(fixture.question).run()
            guard case .complete = end else { return #expect(Bool(false), "\(end)") }
            #expect(progress.changes.drift.emptied == ["rows.size": 1])
            #expect(progress.changes.drift.altered == ["rows.name": 1])
            #expect(progress.changes.drift.appeared == appeared)
        }
        let listed = await fixture.gateway.list(try fixture.question, policy: .remoteFirst).ending.value?
            .drift
        #expect(listed?.emptied == ["rows.size": 1] && listed?.altered == ["rows.name": 1])
        #expect(try await fixture.list()?.drift == Drift())
    }

    @Test("a long list and an import count values that are stored otherwise than sent")
    func driftOfOthers() async throws {
        let rows = (0..<3).map { #"{"id": "\#($0)", "name": "a\ud800", "size": \#($0 == 1 ? "1" : "[]")}"# }
        let body = "[\(rows.joined(separator: ", "))]"
        let fixture = try await ListFixture("rows.next = none\nrows.key = id\nrows.field.size = integer?") {
            _ in
            #"{"data": \#(body)}"#
        }
        let expected = Drift(emptied: ["rows.size": 2], altered: ["rows.name": 3])
        let batches = fixture.gateway.batches(of: try fixture.question, limit: 5_000, policy: .remoteFirst)
        #expect(await batches.next()?.value?.drift == expected)
        var bytes = Array(#"{"data": \#(body)}"#.utf8)
        let resource = try fixture.gateway.resource("rows")
        let imported = try await fixture.gateway.importItems(resource, name: "rows.json") { _ in
            defer { bytes = [] }
            return bytes
        }
        #expect(imported.rows == 3 && imported.drift == expected)
    }
}

extension Drift {
    fileprivate init(emptied: [String: Int], altered: [String: Int]) {
        self.init()
        (self.emptied, self.altered) = (emptied, altered)
    }
}

/// A switch that a test turns on between two syncs.
private final class Flag: Sendable {
    private let state = Mutex(false)
    var value: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

/// Rows by their ids, `{"id": "a", "name": "a"}`.
private func data(_ ids: some Sequence<String>, _ more: String = "") -> String {
    let rows = ids.map { #"{"id": "\#($0)", "name": "\#($0)"}"# }.joined(separator: ",")
    return "{\"data\": [\(rows)]\(more.isEmpty ? "" : ", " + more)}"
}

@Suite("A list that lost rows")
struct MissedRowsTests {
    /// A definition of rows at `data`, by their `id`.
    private static func definition(_ lines: String) -> String {
        """
        api = x
        base-url = https://api.example.org
        rows.rows = data
        rows.key = id
        rows.field.id = integer

        """ + lines
    }

    @Test("is incomplete when rows that came twice take the places of others")
    func repeatedRows() async throws {
        let fixture = try await ListFixture(
            "rows.next = page p",
            [
                "/rows?limit=3": data(["a", "b", "c"], "\"total\": 5"),
                "/rows?limit=3&p=2": data(["c", "d"], "\"total\": 5"), "/rows?limit=3&p=3": data([]),
            ])
        #expect(
            try await fixture.reason()
                == "the source counts 5 rows, but the list ended after 4 different ones; sync it again, or set "
                + "rows.total = none if the number is not that of this list")
    }

    @Test("is complete when a row was added while it was read")
    func addedRow() async throws {
        let fixture = try await ListFixture(
            "rows.next = cursor c next\nrows.total = total",
            [
                "/rows?limit=3": data(["a", "b", "c"], "\"total\": 4, \"next\": \"x\""),
                "/rows?limit=3&c=x": data(["c", "d"], "\"total\": 5"),
            ])
        #expect(try await fixture.reason() == nil)
    }

    @Test("is incomplete when an empty page states that there are more rows, and keeps the stored ones")
    func emptyPage() async throws {
        let isEmpty = Atomic(false)
        let full = data(["a", "b"], "\"has_more\": false")
        let fixture = try await ListFixture("rows.next = cursor c next\nrows.key = id") { _ in
            isEmpty.load(ordering: .relaxed) ? data([], "\"has_more\": true") : full
        }
        #expect(try await fixture.reason() == nil)
        isEmpty.store(true, ordering: .relaxed)
        for _ in 1...2 {
            #expect(
                try await fixture.reason()?.contains("the last page is empty, but \"has_more\" is true")
                    == true)
        }
        #expect(try await fixture.names() == ["a", "b"])
    }

    @Test("is incomplete in an order of keys as well, and keeps the stored rows")
    func orderedList() async throws {
        let isShort = Atomic(false)
        let body: @Sendable (HTTPRequest) -> String? = { request in
            let after = Int(request.path?.split(separator: "=").last ?? "") ?? 0
            let rows = (after + 1..<after + 3).filter { $0 <= (isShort.load(ordering: .relaxed) ? 3 : 6) }
            return "{\"data\": [\(rows.map { "{\"id\": \($0)}" }.joined(separator: ","))], \"total\": 6}"
        }
        let definition = Self.definition(
            """
            rows.path = /rows?from={after}
            rows.order = id
            rows.next = last from id
            """)
        let fixture = try await ListFixture(definition: definition, body)
        #expect(try await fixture.reason() == nil)
        isShort.store(true, ordering: .relaxed)
        #expect(
            try await fixture.reason()?.hasPrefix("the source counts 6 rows, but the list ended after 3")
                == true)
        #expect(try await fixture.list()?.items.count == 6)
    }

    @Test("in which handles differ only in case has each row by its own handle")
    func handlesInCase() async throws {
        let definition = Self.definition(
            """
            rows.path = /rows
            rows.show = /rows/{handle}
            rows.next = none
            rows.handle = slug
            rows.field.slug = text
            """)
        let fixture = try await ListFixture(definition: definition) { request in
            switch request.path ?? "" {
            case "/rows": #"{"data": [{"id": 1, "slug": "one"}, {"id": 2, "slug": "ONE"}]}"#
            case "/rows/ONE": #"{"id": 2, "slug": "ONE"}"#
            case "/rows/One": #"{"id": 3, "slug": "One"}"#
            default: nil
            }
        }
        _ = try await fixture.sync()
        let rows = try fixture.gateway.resource("rows")
        for (handle, id) in [("one", 1), ("ONE", 2)] as [(String, Int64)] {
            let stored = await fixture.gateway.show(rows, handle, policy: .localOnly).ending.value
            #expect(stored?.key == .integer(id))
        }
        // A third row takes none of them away.
        let third = await fixture.gateway.show(rows, "One", policy: .refresh).ending.value
        #expect(third?.key == .integer(3))
        #expect(try await fixture.list()?.items.map(\.handle) == ["one", "ONE"])
    }

    @Test("of newer rows is incomplete when its source counts more, and requests them again")
    func newerRows() async throws {
        let step = Atomic(0), paths = Mutex<[String]>([])
        func row(_ id: Int, _ day: Int) -> String {
            #"{"id": \#(id), "at": "2026-01-\#(10 + day)T00:00:00Z"}"#
        }
        let old = (1...20).map { row($0, 1) }, new = (21...25).map { row($0, 5) }
        let answers = [(old, 20), (Array(new.prefix(1)), 1), (Array(new.prefix(2)), 5), (new, 5)]
        let definition = Self.definition(
            """
            rows.path = /rows?limit=100
            rows.since = since at
            rows.next = none
            rows.total = total
            rows.field.at = time
            """)
        let fixture = try await ListFixture(definition: definition) { request in
            paths.withLock { $0.append(request.path ?? "") }
            let (rows, total) = answers[step.load(ordering: .relaxed)]
            return "{\"data\": [\(rows.joined(separator: ","))], \"total\": \(total)}"
        }
        #expect(try await fixture.reason() == nil)
        // What the number counts is not known before it has counted the newer rows once.
        step.store(1, ordering: .relaxed)
        #expect(try await fixture.reason() == nil)
        step.store(2, ordering: .relaxed)
        #expect(
            try await fixture.reason()?.hasPrefix("the source counts 5 rows, but the list ended after 2")
                == true)
        step.store(3, ordering: .relaxed)
        #expect(try await fixture.reason() == nil)
        #expect(try await fixture.list()?.items.count == 25)
        let requested = paths.withLock { $0 }
        #expect(requested[2] == requested[3] && requested[2] != requested[0], "\(requested)")
    }

    @Test("of newer rows requests them again after one that cannot be read")
    func unreadNewerRow() async throws {
        let step = Atomic(0), paths = Mutex<[String]>([])
        let answers = [
            #"{"id": 1, "at": "2026-01-11T00:00:00Z"}"#,
            #"{"id": 2, "at": "2026-01-15T00:00:00Z"}, {"at": "2026-01-14T00:00:00Z"}"#,
            #"{"id": 2, "at": "2026-01-15T00:00:00Z"}, {"id": 3, "at": "2026-01-14T00:00:00Z"}"#,
        ]
        let definition = Self.definition(
            """
            rows.path = /rows?limit=100
            rows.since = since at
            rows.next = none
            rows.field.at = time
            """)
        let fixture = try await ListFixture(definition: definition) { request in
            paths.withLock { $0.append(request.path ?? "") }
            return "{\"data\": [\(answers[step.load(ordering: .relaxed)])]}"
        }
        for (number, isWhole) in [true, false, true].enumerated() {
            step.store(number, ordering: .relaxed)
            #expect(try await (fixture.reason() == nil) == isWhole)
        }
        #expect(try await fixture.list()?.items.count == 3)
        let requested = paths.withLock { $0 }
        #expect(requested[1] == requested[2] && requested[1] != requested[0], "\(requested)")
    }

    @Test(
        "of newer rows does not begin at a word among dates, nor at the greatest number",
        arguments: ["text", "integer"])
    func placeholders(_ type: String) async throws {
        let paths = Mutex<[String]>([])
        let values =
            type == "text"
            ? ["\"2026-01-01\"", "\"unknown\"", "\"2026-02-01\""] : ["5", "9223372036854775807", "7"]
        let definition = Self.definition(
            """
            rows.path = /rows
            rows.since = since at
            rows.next = none
            rows.field.at = \(type)
            """)
        let fixture = try await ListFixture(definition: definition) { request in
            paths.withLock { $0.append(request.path ?? "") }
            let rows = values.enumerated().map { "{\"id\": \($0), \"at\": \($1)}" }
            return "{\"data\": [\(rows.joined(separator: ","))]}"
        }
        _ = try await fixture.sync()
        _ = try await fixture.sync()
        #expect(paths.withLock { $0.last } == "/rows?since=\(type == "text" ? "2026-02-01" : "7")")
    }

    @Test("reports a field that no row of a page has, although stored rows have values")
    func vanishedField() async throws {
        let rows = ["a", "b", "c"], hasNames = Atomic(true)
        let fixture = try await ListFixture("rows.next = none\nrows.key = id") { _ in
            let isNamed = hasNames.load(ordering: .relaxed)
            return isNamed
                ? data(rows)
                : "[\(rows.map { "{\"id\": \"\($0)\"}" }.joined(separator: ","))]"
                    .replacing("[", with: "{\"data\": [").replacing("]", with: "]}")
        }
        _ = try await fixture.sync()
        hasNames.store(false, ordering: .relaxed)
        let (_, progress) = await fixture.gateway.sync(try fixture.question, from: .theBeginning).run()
        #expect(progress.changes.drift.vanished == ["rows.name": 3])
        #expect(progress.changes.drift.losses.count == 1)
        #expect(try await fixture.names() == [])
    }

    @Test("keeps the first of two rows with one key, however many pages are between them")
    func distantClash() async throws {
        let count = 1_030
        let fixture = try await ListFixture("rows.next = page p\nrows.key = id") { request in
            let page = Int(request.path?.split(separator: "p=").last ?? "") ?? 1
            guard page < count else {
                return page == count ? #"{"data": [{"id": "k1", "name": "other"}]}"# : data([])
            }
            return data(["k\(page)"])
        }
        guard case .incomplete(let shortfall) = try await fixture.sync() else {
            Issue.record("the clash was not noticed")
            return
        }
        #expect(shortfall.reason.hasPrefix("1 of 1 rows has the key of another row"))
        #expect(try await fixture.names().first == "k1")
    }

    @Test("in a circle of pages with ever new addresses ends with an error")
    func circle() async throws {
        let fixture = try await ListFixture("rows.next = cursor c next\nrows.key = id") { request in
            let number = Int(request.path?.split(separator: "c=").last ?? "") ?? 0
            return data(["k\(number % 4)"], "\"next\": \"\(number + 1)\"")
        }
        #expect(
            try await fixture.reason()?.hasPrefix(
                "the last 100 pages of rows are those before them, again and again; check rows.next in the definition"
            )
                == true)
        #expect(fixture.network.sent.count == 201)
    }

    @Test("is read past pages of which the definition keeps no row")
    func leftOutPages() async throws {
        let definition = Self.definition(
            """
            rows.path = /rows
            rows.where = kind = wanted
            rows.next = page p
            """)
        let fixture = try await ListFixture(definition: definition) { request in
            let page = Int(request.path?.split(separator: "p=").last ?? "") ?? 1
            let kind = page == 250 ? "wanted" : "other"
            return page > 250 ? data([]) : #"{"data": [{"id": \#(page), "kind": "\#(kind)"}]}"#
        }
        #expect(try await fixture.reason() == nil)
        #expect(try await fixture.list()?.items.map(\.handle) == ["250"])
    }
}

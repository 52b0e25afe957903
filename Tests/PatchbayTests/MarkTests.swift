import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Synchronization
import Testing

@Suite("The mark of an increment")
struct MarkTests {
    /// What the source returns, and its clock.
    private struct Content: Sendable {
        var pages: [[(id: Int, at: String)]]
        /// `Date`; nil when the source does not report it.
        var clock: String?
    }

    /// Content that a test changes while requests are answered.
    private final class Source: Sendable {
        private let content: Mutex<Content>

        init(_ content: Content) { self.content = Mutex(content) }

        func change(_ body: (inout Content) -> Void) { content.withLock { body(&$0) } }

        /// The requested page, with rows of any time: a source may ignore `since`.
        func answer(_ request: HTTPRequest) -> Response {
            let content = content.withLock { $0 }
            let items = URLComponents(string: request.path ?? "")?.queryItems ?? []
            let number = items.first { $0.name == "page" }?.value.flatMap { Int($0) } ?? 0
            let rows = content.pages[number].map { #"{"id": \#($0.id), "at": "\#($0.at)"}"# }
            let next = number + 1 < content.pages.count ? "\(number + 1)" : "null"
            return Response(
                200, content.clock.map { [("Date", $0)] } ?? [],
                #"{"data": [\#(rows.joined(separator: ", "))], "next": \#(next)}"#)
        }
    }

    /// A source with rows in pages, and runs of a program over one storage.
    private struct Fixture {
        let gateway: Gateway
        let network: ScriptedNetworking
        private let source: Source

        init(_ lines: String = "", _ pages: [[(id: Int, at: String)]], clock: String?) async throws {
            let definition = """
                api = x
                base-url = https://api.example.org
                rows.path = /rows
                rows.rows = data
                rows.key = id
                rows.field.id = integer
                rows.field.at = time
                rows.next = cursor page next
                rows.since = since at

                """
            let source = Source(Content(pages: pages, clock: clock))
            self.source = source
            network = ScriptedNetworking { request, _, _ in source.answer(request) }
            gateway = try await Gateway.scripted(definition + lines, over: network)
        }

        func change(_ body: (inout Content) -> Void) { source.change(body) }

        /// Runs a sync, and returns the `since` of its first request and what it reports.
        @discardableResult
        func sync(maximumRequests: Int? = nil) async throws -> (since: String?, notes: [String]) {
            let before = network.paths.count
            var notes: [String] = []
            let question = try gateway.question(gateway.resource("rows"))
            for await event in gateway.sync(question, maximumRequests: maximumRequests) {
                switch event {
                case .noted(_, let note): notes.append(note)
                case .ended(.failed(let error), _): throw error
                default: break
                }
            }
            let path = try #require(network.paths.dropFirst(before).first)
            let items = URLComponents(string: path)?.queryItems ?? []
            return (items.first { $0.name == "since" }?.value, notes)
        }
    }

    private static let noon = "Sat, 28 Nov 2026 12:00:00 GMT"

    @Test(
        "is the newest time before the run began by the source's clock, less the overlap",
        arguments: [
            ("", ["2026-11-28T10:00:00Z", "2026-11-28T09:00:00Z"], "2026-11-28T09:59:00Z"),
            ("rows.since-overlap = 1h", ["2026-11-28T10:00:00Z"], "2026-11-28T09:00:00Z"),
            ("", ["2026-11-28T00:00:00Z"], "2026-11-27T00:00:00Z"),
            // Changed while the run read the list, and after a row that has no later time yet.
            ("", ["2026-11-28T12:00:30Z", "2026-11-28T11:00:00Z"], "2026-11-28T10:59:00Z"),
            ("", ["2026-11-28T12:00:00Z", "2026-11-28T12:00:01Z"], "2026-11-28T11:59:00Z"),
            // In the future.
            ("", ["2099-01-01T00:00:00Z", "2026-11-28T11:00:00Z"], "2026-11-28T10:59:00Z"),
            ("", ["2099-01-01T00:00:00Z"], nil),
        ] as [(String, [String], String?)])
    func capped(_ lines: String, _ times: [String], _ mark: String?) async throws {
        let rows = times.enumerated().map { (id: $0, at: $1) }
        let fixture = try await Fixture(lines, [rows], clock: Self.noon)
        let first = try await fixture.sync()
        #expect(first.since == nil)
        let ahead = times.count { $0.hasPrefix("2099") }
        #expect(first.notes.count == ahead)
        #expect(first.notes.allSatisfy { $0.hasPrefix("1 row has an at in the future; the next sync") })
        #expect(try await fixture.sync().since == mark)
    }

    @Test("moves to the newest value if the source reports no clock, and the sync says so")
    func withoutClock() async throws {
        let fixture = try await Fixture("", [[(1, "2026-11-28T10:00:00Z")]], clock: nil)
        let notes = try await fixture.sync().notes
        #expect(notes.count == 1 && notes[0].hasPrefix("the source does not report the time of its answers"))
        #expect(try await fixture.sync().since == "2026-11-28T09:59:00Z")
    }

    @Test("of a resumed run is capped by the beginning of the interrupted one")
    func resumed() async throws {
        let fixture = try await Fixture(
            "", [[(1, "2026-11-28T10:00:00Z")], [(2, "2026-11-28T12:30:00Z")]], clock: Self.noon)
        try await fixture.sync(maximumRequests: 1)
        fixture.change { $0.clock = "Sat, 28 Nov 2026 13:00:00 GMT" }
        try await fixture.sync()
        #expect(try await fixture.sync().since == "2026-11-28T09:59:00Z")
    }

    @Test("stays while no row is newer, and never returns to an earlier value")
    func stays() async throws {
        let fixture = try await Fixture("", [[(1, "2026-11-28T10:00:00Z")]], clock: Self.noon)
        try await fixture.sync()
        fixture.change { $0.clock = "Sat, 28 Nov 2026 13:00:00 GMT" }
        #expect(try await fixture.sync().since == "2026-11-28T09:59:00Z")
        fixture.change { $0.pages = [[(2, "2026-11-28T09:59:30Z")]] }
        for _ in 0..<2 { #expect(try await fixture.sync().since == "2026-11-28T09:59:00Z") }
    }

    @Test("is void if it is in the future by the source's clock: the whole list is fetched again")
    func ahead() async throws {
        let fixture = try await Fixture("", [[(1, "2026-11-28T10:00:00Z")]], clock: Self.noon)
        try await fixture.sync()
        fixture.change { content in
            content.clock = "Sat, 28 Nov 2026 08:00:00 GMT"
            content.pages = [[(1, "2026-11-28T07:00:00Z")]]
        }
        try await fixture.sync()
        #expect(fixture.network.paths.suffix(2).map { $0.contains("since") } == [true, false])
        #expect(try await fixture.sync().since == "2026-11-28T06:59:00Z")
    }
}

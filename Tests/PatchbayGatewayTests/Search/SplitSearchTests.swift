import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Searches with more results than the source returns")
struct SplitSearchTests {
    private static func fixture(_ feed: CappedFeed, splits: Bool = true) async throws -> ResourceFixture {
        try await ResourceFixture(
            around: { _ in feed },
            changing: { source in
                source.resources = source.resources.map { resource in
                    var resource = resource
                    resource.search?.cap = Int64(CappedFeed.cap)
                    let split = SearchSplit("id:{from}..{to}", .integer, from: 1, to: 10_000)
                    resource.search?.split = splits ? split : nil
                    return resource
                }
            })
    }

    private static func window(_ fixture: ResourceFixture) async throws -> SearchWindow<Item>? {
        let people = try fixture.gateway.resource("people")
        return await fixture.gateway.search(people, "x", limit: 10_000, policy: .localOnly).ending.value
    }

    @Test("all results are fetched by splitting, and the verdict is complete")
    func whole() async throws {
        let feed = CappedFeed(ids: Array(1...2_500))
        let fixture = try await Self.fixture(feed)
        let people = try fixture.gateway.resource("people")
        let (end, progress) = try await fixture.gateway.searchAll(people, "x").run()
        #expect(end.word == "complete" && progress.rows == 2_500 && progress.changes.added == 2_500)
        // The whole search, then 1 to 5,000, 1 to 2,500 and 1 to 1,250 are split.
        #expect(progress.requests < 2_500 / CappedFeed.pageSize + 12)
        let window = try #require(try await Self.window(fixture))
        #expect(Set(window.items.map(\.id)) == Set(1...2_500) && window.items.count == 2_500)
        #expect(window.total == 2_500 && window.missing == 0 && window.cap == nil)
    }

    @Test("it resumes after any number of requests and sends none of them again", arguments: [1, 2, 7])
    func resumed(_ step: Int) async throws {
        let feed = CappedFeed(ids: Array(1...1_600))
        let fixture = try await Self.fixture(feed)
        var requests = 0
        while true {
            let gateway = try await fixture.gateway()
            let people = try gateway.resource("people")
            let (end, progress) = try await gateway.searchAll(people, "x", maximumRequests: step).run()
            requests += progress.requests
            if end.word == "complete" { break }
        }
        let undisturbed = try await Self.fixture(feed)
        let people = try undisturbed.gateway.resource("people")
        #expect(try await undisturbed.gateway.searchAll(people, "x").run().1.requests == requests)
        #expect(try await Self.window(fixture)?.items.count == 1_600)
    }

    @Test(
        "a search that cannot be split is cut off, and the number of missing results is reported",
        arguments: [true, false])
    func cut(_ splits: Bool) async throws {
        // All have the same number, so no range separates them.
        let feed = CappedFeed(ids: Array(1...1_500), number: { _ in 7 })
        let fixture = try await Self.fixture(feed, splits: splits)
        let people = try fixture.gateway.resource("people")
        let (end, progress) = try await fixture.gateway.searchAll(people, "x").run()
        #expect(end.word == "incomplete: end" && progress.rows == 1_000)
        let window = try #require(try await Self.window(fixture))
        #expect(window.items.count == 1_000 && window.missing == 500 && window.cap == 1_000)
    }

    @Test("rows without a value in the range are missing, and a timeout of the source is reported")
    func outside() async throws {
        let feed = CappedFeed(ids: Array(1...1_200), isIncomplete: true, number: { $0 <= 200 ? nil : $0 })
        let fixture = try await Self.fixture(feed)
        let people = try fixture.gateway.resource("people")
        let end = try await fixture.gateway.searchAll(people, "x").run().0
        #expect(end.word == "incomplete: end")
        let window = try #require(try await Self.window(fixture))
        #expect(window.items.count == 1_000 && window.missing == 200 && window.isIncomplete)
    }

    @Test(
        "a cursor is parsed as written, and any other text is refused",
        arguments: [
            ("*", true), ("0..9;10..20 https://x?a b", true), ("-5..-1", true), ("", false), ("9..0", false),
            ("a..b", false), ("1..2;", true),
        ])
    func cursor(_ text: String, _ isRead: Bool) {
        let parts = SearchParts(text)
        #expect((parts != nil) == isRead)
        if let parts, !text.hasSuffix(";") { #expect(parts.description == text) }
    }

    @Test("days and seconds are formatted as dates")
    func dates() {
        let days = SearchSplit("created:{from}..{to}", .day, from: 13_806)
        #expect(days.words(for: 13_806...20_000) == "created:2007-10-20..2024-10-04")
        let seconds = SearchSplit("c:{from}..{to}", .second, from: 0)
        #expect(seconds.words(for: 0...86_399) == "c:1970-01-01T00:00:00Z..1970-01-01T23:59:59Z")
        #expect(seconds.range(at: Timestamp(milliseconds: 5_000)) == 0...5)
    }
}

/// Finds people by `x`, or `x id:1..5`, and returns at most the first 1,000.
private struct CappedFeed: PageFeed {
    static let cap = 1_000
    static let pageSize = 100

    var ids: [Int64]
    var isIncomplete = false
    /// The value that ranges apply to; nil for a row without one.
    var number: @Sendable (Int64) -> Int64? = { $0 }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        guard case .search(let text) = request.question.subject else {
            throw PatchbayError(.unsupported, "only searches")
        }
        var found = ids
        if let match = text.firstMatch(of: /id:(\d+)\.\.(\d+)/), let from = Int64(match.1),
            let to = Int64(match.2)
        {
            found = ids.filter { number($0).map { (from...to).contains($0) } ?? false }
        }
        let start = request.next.flatMap { Int($0) } ?? 0
        let rows = ScriptedFeed.people(found.prefix(Self.cap).dropFirst(start).prefix(Self.pageSize))
        let resource = request.question.resource
        let end = start + rows.count
        var page = ItemPage(
            try rows.map { try ScriptedFeed.item($0, of: resource) },
            next: end < min(found.count, Self.cap) ? String(end) : nil)
        page.total = Int64(found.count)
        page.isIncomplete = isIncomplete
        return .changed(page, Validator())
    }
}

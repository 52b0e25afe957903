import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayGateway

@Suite("Syncing only new rows")
struct SyncSinceTests {
    /// Projects 1 to 50; the source can list those updated since a number.
    private static func fixture(
        around: (ScriptedFeed) -> any ResourceFeed = { $0 }
    ) async throws -> ResourceFixture {
        let fixture = try await ResourceFixture(
            around: around,
            changing: { source in
                source.resources = source.resources.map { resource in
                    guard resource.name == "projects" else { return resource }
                    var resource = resource
                    resource.fields.append(FieldDeclaration("updated", .integer))
                    resource.since = SinceDeclaration(parameter: "since", field: "updated")
                    return resource
                }
            })
        fixture.feed.change("projects") { rows in
            for place in rows.indices { rows[place]["updated"] = .integer(rows[place].id) }
        }
        return fixture
    }

    private static func project(_ id: Int64, updated: Int64) -> ScriptedFeed.Row {
        var row = ScriptedFeed.projects([id])[0]
        row["updated"] = .integer(updated)
        return row
    }

    @Test("the second sync requests rows since the newest one, inclusively, and puts them first")
    func second() async throws {
        let fixture = try await Self.fixture()
        #expect(try await fixture.gateway().syncProjects().run().1.changes.added == 50)
        fixture.feed.change("projects") { rows in
            rows[6] = Self.project(7, updated: 60)
            rows.append(Self.project(51, updated: 61))
        }
        fixture.clock.advance(by: .seconds(60))
        let (end, progress) = try await fixture.gateway().syncProjects().run()
        #expect(end.word == "complete" && progress.requests == 1)
        #expect(progress.rows == 3 && progress.changes.added == 1 && progress.changes.changed == 1)
        #expect(fixture.requests.last == "projects of octocat since 50")
        let listed = try await fixture.gateway.listProjects(limit: 100, policy: .localOnly).ending
        #expect(listed.value?.ids == [7, 50, 51] + (1...49).filter { $0 != 7 })
        _ = try await fixture.gateway().syncProjects().run()
        #expect(fixture.requests.last == "projects of octocat since 61")
        #expect(
            try await fixture.gateway.listProjects(limit: 100, policy: .localOnly).ending.value?.ids.count
                == 51)
    }

    @Test("a list that lacks rows still does after a sync of newer rows, and no longer after one of all")
    func shortfall() async throws {
        let fixture = try await Self.fixture(), gateway = fixture.gateway
        _ = try await gateway.syncProjects().run()
        try await gateway.store.write { writing in
            for var run in try writing.reading.list(StoredListRun.self, Query(StoredListRun.collection)) {
                run.incomplete = Shortfall(.keys, "1 of 20 rows has no id").stored
                try writing.put(run)
            }
        }
        let resource = try gateway.resource("projects")
        for (start, partial) in [(SyncStart.whereItStopped, 1), (.theBeginning, 0)] {
            fixture.clock.advance(by: .seconds(3_600))
            let (end, _) = try await fixture.gateway().sync("projects", "octocat", from: start).run()
            let ages = try await gateway.store.read { try $0.listAges(of: resource) }
            let isIncomplete = if case .incomplete = end { true } else { false }
            #expect(isIncomplete == (partial == 1) && ages.partial == partial, "\(end) \(ages)")
        }
    }

    @Test("a source that returns the same page again and again is detected, also after an interruption")
    func repeated() async throws {
        let fixture = try await Self.fixture { EndlessFeed(inner: $0) }
        _ = try await fixture.gateway().syncProjects().run()
        let (limited, _) = try await fixture.gateway().syncProjects(maximumRequests: 1).run()
        #expect(limited.word == "limit reached")
        for requests in [3, 2] {
            let (end, progress) = try await fixture.gateway().syncProjects().run()
            #expect(end.word == "failed: invalid response" && progress.requests == requests)
        }
    }

    /// A source that ignores the number of a page of newer rows.
    private struct EndlessFeed: FeedWrapper {
        let inner: any ResourceFeed

        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            guard request.question.since != nil else {
                return try await inner.page(request, ifChangedFrom: validator)
            }
            let fetched = try await inner.page(ItemRequest(request.question), ifChangedFrom: Validator())
            guard case .changed(var page, _) = fetched else { return .unchanged }
            page.next = "page \((request.next?.dropFirst(5)).flatMap { Int($0) }.map { $0 + 1 } ?? 2)"
            return .changed(page, Validator())
        }
    }

    @Test("rows at the borders of periods come on two pages of newer rows")
    func borders() async throws {
        let pages = [[9, 10, 11], [9, 10, 11, 20], [20], [12]] as [[Int64]]
        let fixture = try await Self.fixture { BorderFeed(inner: $0, pages: pages) }
        for _ in 1...3 {
            fixture.clock.advance(by: .seconds(3_600))
            #expect(try await fixture.gateway().syncProjects().run().0.word == "complete")
        }
        let listed = try await fixture.gateway.listProjects(limit: 100, policy: .localOnly).ending
        #expect(listed.value?.ids.prefix(5) == [9, 10, 11, 20, 12] && listed.value?.ids.count == 50)
    }

    /// A source with these pages of newer rows.
    private struct BorderFeed: FeedWrapper {
        let inner: any ResourceFeed
        let pages: [[Int64]]

        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            guard request.question.since != nil else {
                return try await inner.page(request, ifChangedFrom: validator)
            }
            var question = request.question
            question.since = nil
            let fetched = try await inner.page(ItemRequest(question), ifChangedFrom: Validator())
            guard case .changed(let first, _) = fetched else { return .unchanged }
            let number = request.next.flatMap { Int($0) } ?? 0
            let page = ItemPage(
                first.items.filter { pages[number].contains($0.id) },
                next: number + 1 < pages.count ? "\(number + 1)" : nil)
            return .changed(page, Validator())
        }
    }

    @Test("an answer to an earlier request does not replace the rows of a later one")
    func overtaken() async throws {
        let meanwhile = Mutex<(@Sendable () async throws -> Void)?>(nil)
        let fixture = try await Self.fixture {
            SlowFeed(inner: $0, meanwhile: { meanwhile.withLock { $0.take() } })
        }
        _ = try await fixture.gateway().syncProjects().run()
        let other = try await fixture.gateway(), feed = fixture.feed
        for first in [true, false] {
            let updated: Int64 = first ? 60 : 61
            meanwhile.withLock {
                $0 = {
                    feed.change("projects") { $0[6] = Self.project(7, updated: updated) }
                    _ = try await other.syncProjects().run()
                }
            }
            let before = fixture.requests.count
            if first {
                _ = try await fixture.gateway.listProjects(limit: 10, policy: .refresh).ending
            } else {
                _ = try await fixture.gateway.show(
                    fixture.gateway.resource("projects"), "octocat/p-7", policy: .refresh
                ).ending
            }
            #expect(fixture.requests.count == before + 2, "\(fixture.requests.suffix(4))")
            let stored = try await fixture.stored("projects").first { $0.key == 7 }
            #expect(stored.map { $0.integer("updated") } == updated)
        }
    }

    /// A source that is slow to return an answer.
    private struct SlowFeed: FeedWrapper {
        let inner: any ResourceFeed
        /// Returns what happens before the next answer arrives.
        let meanwhile: @Sendable () -> (@Sendable () async throws -> Void)?

        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            let page = try await inner.page(request, ifChangedFrom: validator)
            try await meanwhile()?()
            return page
        }

        func item(
            _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
        ) async throws -> Fetched<Item> {
            let item = try await inner.item(handle, of: resource, ifChangedFrom: validator)
            try await meanwhile()?()
            return item
        }
    }

    @Test("rows missing from such a sync are not marked as gone; a sync from the beginning marks them")
    func gone() async throws {
        let fixture = try await Self.fixture()
        _ = try await fixture.gateway().syncProjects().run()
        fixture.feed.change("projects") { $0.removeFirst() }
        #expect(try await fixture.gateway().syncProjects().run().1.changes.gone == 0)
        let sync = try fixture.gateway.sync(fixture.gateway.projects(), from: .theBeginning)
        let (_, progress) = await sync.run()
        #expect(progress.changes.gone == 1 && progress.rows == 49)
        #expect(!fixture.requests.last!.contains("since"))
    }

    @Test(
        "interruptions of a list in any order neither miss nor duplicate rows",
        arguments: 0..<20)
    func interrupted(_ round: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(round) + 1)
        let fixture = try await Self.fixture()
        var updated: Int64 = 100, ids = Array(1...Int64(50))
        for _ in 0..<6 {
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                updated += 1
                let isNew = Bool.random(using: &generator)
                let id = isNew ? Int64(ids.count) + 1 : ids.randomElement(using: &generator)!
                let row = Self.project(id, updated: updated)
                fixture.feed.change("projects") { rows in
                    rows.removeAll { $0.id == id }
                    rows.append(row)
                    rows.shuffle(using: &generator)
                }
                if isNew { ids.append(id) }
            }
            while true {
                fixture.clock.advance(by: .seconds(1))
                let limit = Int.random(in: 1...2, using: &generator)
                let (end, _) = try await fixture.gateway().syncProjects(maximumRequests: limit).run()
                if end.word == "complete" { break }
            }
            let listed = try await fixture.gateway.listProjects(limit: 1_000, policy: .localOnly).ending
            #expect(listed.value?.ids.sorted() == ids.sorted(), "round \(round)")
            let stored = try await fixture.stored("projects").map { $0.integer("updated") ?? 0 }
            #expect(stored.max() == (updated == 100 ? 50 : updated), "round \(round)")
        }
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Syncing rows in order")
struct SyncOrderedTests {
    private let limit = PatchbayError(.rateLimited, "the limit is used up; it resets at noon")

    @Test("an empty storage is filled page by page, and each page is saved before the next is requested")
    func first() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        var rows: [Int64] = []
        var end: SyncEnd?
        for await event in try gateway.syncPeople() {
            switch event {
            case .saved(let progress):
                rows.append(progress.rows)
                #expect(try await fixture.stored().count == Int(progress.rows))
                #expect(progress.requests == fixture.requests.count)
            case .ended(let how, _): end = how
            case .skipped, .incomplete, .noted: Issue.record("a list skips nothing and lacks nothing")
            }
        }
        #expect(rows == [20, 40, 50])
        #expect(end?.word == "complete")
        #expect(fixture.requests == ["people after 0", "people next 20", "people next 40"])
    }

    @Test("the last event reports how the sync ended")
    func events() async throws {
        let sync = try await ResourceFixture().gateway().syncPeople()
        let events = await sync.all
        #expect(events.count == 4)
        guard case .ended(.complete, let progress) = events.last else {
            return #expect(Bool(false), "no end")
        }
        #expect(progress.list == "people" && progress.next == nil && progress.pages == 3)
    }

    @Test("a sync stops when its caller stops iterating, and the next one continues there")
    func resumed() async throws {
        let fixture = try await ResourceFixture()
        for await _ in try await fixture.gateway().syncPeople() { break }
        #expect(fixture.requests == ["people after 0"])
        let gateway = try await fixture.gateway()
        let plan = try await gateway.syncPeople().plan()
        #expect(plan.pagesDone == 1 && plan.requestsMin == 1 && plan.requestsMax == nil)
        let (end, progress) = try await gateway.syncPeople().run()
        #expect(end.word == "complete")
        #expect(progress.requests == 2 && progress.pages == 3 && progress.rows == 30)
        #expect(fixture.requests == ["people after 0", "people next 20", "people next 40"])
    }

    @Test(
        "an imported cursor with impossible numbers is ignored",
        arguments: ["position", "pages", "row_count"], [Int64.min, .max])
    func impossibleCursor(_ field: String, _ value: Int64) async throws {
        let fixture = try await ResourceFixture()
        for await _ in try await fixture.gateway().syncPeople() { break }
        let gateway = try await fixture.gateway()
        var run = try #require(try await fixture.stored(StoredListRun.self).first)
        switch field {
        case "position": run.position = value
        case "pages": run.pages = value
        default: run.rows = value
        }
        run.pageCount = value
        let imported = run
        try await gateway.store.write { try $0.put(imported) }
        let plan = try await gateway.syncPeople().plan()
        #expect(plan.pagesDone == 0 && plan.requestsMin == 1)
        let (end, progress) = try await gateway.syncPeople().run()
        #expect(end.word == "complete")
        #expect(progress.pages == 3 && progress.rows == 50)
    }

    @Test("no more requests are sent than allowed", arguments: [1, 2, 3, 4])
    func maximumRequests(_ maximum: Int) async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        let (end, progress) = try await gateway.syncPeople(maximumRequests: maximum).run()
        #expect(end.word == (maximum < 3 ? "limit reached" : "complete"))
        #expect(progress.requests == min(maximum, 3))
        let (last, _) = try await gateway.syncPeople().run()
        #expect(last.word == "complete")
        #expect(try await fixture.stored().count == 50)
        #expect(fixture.requests.count == (maximum < 3 ? 3 : 6))
    }

    @Test("after a rate limit saved rows stay, and the error is returned")
    func rateLimited() async throws {
        let fixture = try await ResourceFixture()
        fixture.feed.answers.fail(with: limit, afterAnswers: 2)
        let (end, progress) = try await fixture.gateway().syncPeople().run()
        guard case .failed(let error) = end else { return #expect(Bool(false), "\(end)") }
        #expect(error.code == .rateLimited && error.message == limit.message)
        #expect(progress.rows == 40)
        #expect(try await fixture.stored().allSatisfy { $0.state.goneAt == nil })
        fixture.feed.answers.fail(with: nil)
        let (second, _) = try await fixture.gateway().syncPeople().run()
        #expect(second.word == "complete")
        #expect(fixture.requests.suffix(2) == ["people next 40", "people next 40"])
    }

    @Test("a second complete run sends only conditional requests and writes no row")
    func secondRun() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        _ = try await gateway.syncPeople().run()
        let before = try await fixture.stored()
        let states = before.map(\.state)
        fixture.clock.advance(by: .seconds(60))
        let plan = try await gateway.syncPeople().plan()
        #expect(plan.requestsMin == 3 && plan.requestsMax == 3 && plan.conditional == 3)
        let (end, progress) = try await gateway.syncPeople().run()
        #expect(end.word == "complete" && progress.unchanged == 3 && progress.rows == 50)
        #expect(fixture.requests.suffix(3).allSatisfy { $0.hasSuffix(" if changed") })
        let after = try await fixture.stored()
        #expect(after == before && after.map(\.state) == states)
    }

    @Test(
        "a page is requested unconditionally if another program has deleted one of its rows",
        arguments: [5, 45] as [Int64])
    func deletedRow(_ id: Int64) async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        _ = try await gateway.syncPeople().run()
        try await gateway.delete(.integer(id))
        #expect(try await gateway.syncPeople().plan().conditional == 2)
        let (end, progress) = try await gateway.syncPeople().run()
        #expect(end.word == "complete" && progress.unchanged == 2 && progress.rows == 50)
        #expect(try await fixture.stored().map(\.id) == Array(1...50))
        #expect(try await gateway.syncPeople().run().1.unchanged == 3)
    }

    @Test("a full last page is requested unconditionally, so that new rows are found")
    func fullLastPage() async throws {
        let fixture = try await ResourceFixture(people: 1...40)
        let gateway = try await fixture.gateway()
        _ = try await gateway.syncPeople().run()
        #expect(try await gateway.syncPeople().plan().conditional == 1)
        _ = try await gateway.syncPeople().run()
        #expect(fixture.requests.suffix(2) == ["people after 0 if changed", "people next 20"])
    }

    @Test("edited names and details survive; rows no longer listed are marked, not deleted")
    func kept() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        try await gateway.put(ScriptedFeed.people(3...3))
        try await gateway.edit("user-3", name: "Edited")
        _ = try await gateway.syncPeople().run()
        fixture.feed.change("people") { $0.removeAll { $0.id == 7 } }
        _ = try await gateway.syncPeople().run()
        let people = try await fixture.stored()
        #expect(people.count == 50)
        #expect(people[2].name == "Edited" && people[2]["name"] == .text("User 3"))
        #expect(people.filter { $0.state.goneAt != nil }.map(\.id) == [7])
    }

    @Test("a cursor is used only for the same source")
    func boundToQuery() async throws {
        let fixture = try await ResourceFixture()
        for await _ in try await fixture.gateway().syncPeople() { break }
        for await _ in try await fixture.gateway(identity: "another").syncPeople() { break }
        #expect(fixture.requests == ["people after 0", "people after 0 if changed"])
    }

    @Test("a sync can start from the beginning")
    func anew() async throws {
        let fixture = try await ResourceFixture()
        for await _ in try await fixture.gateway().syncPeople() { break }
        let sync = try await fixture.gateway().syncPeople(from: .theBeginning)
        #expect(try await sync.plan().pagesDone == 0)
        _ = await sync.run()
        #expect(fixture.requests.dropFirst().first == "people after 0 if changed")
    }

    @Test("two syncs of one list move one cursor, and request each page once")
    func twoAtOnce() async throws {
        let fixture = try await ResourceFixture()
        var syncs = [
            try await fixture.gateway().syncPeople().makeAsyncIterator(),
            try await fixture.gateway().syncPeople(from: .theBeginning).makeAsyncIterator(),
        ]
        _ = await syncs[0].next()
        fixture.clock.advance(by: .seconds(1))
        var endings: [SyncEnd] = []
        while endings.count < 2 {
            for place in syncs.indices {
                guard case .ended(let ending, _)? = await syncs[place].next() else { continue }
                endings.append(ending)
            }
        }
        #expect(endings.allSatisfy { if case .complete = $0 { true } else { false } })
        // The second sync started from the beginning.
        #expect(fixture.requests.count { $0.hasPrefix("people after 0") } == 2)
        let later = fixture.requests.filter { !$0.hasPrefix("people after 0") }
        #expect(!later.isEmpty && Set(later).count == later.count)
    }

    @Test("a sync continues behind the pages that another one saves while it requests them")
    func overtaken() async throws {
        let fixture = try await ResourceFixture()
        let overtaken = try await fixture.interrupted {
            for await _ in try await fixture.gateway().syncPeople() { break }
        }
        let (end, progress) = try await overtaken.syncPeople().run()
        #expect(end.word == "complete" && progress.pages == 3 && progress.rows == 0)
        #expect(try await fixture.stored().map(\.id) == Array(1...50))
    }

    @Test("the plan reports the remaining work and the budget without sending a request")
    func plan() async throws {
        let fixture = try await ResourceFixture()
        let sync = try await fixture.gateway(budget: RequestBudget(remaining: 0)).syncPeople()
        let plan = try await sync.plan()
        #expect(plan.requestsMin == 1 && plan.requestsMax == nil && plan.fitsBudget == false)
        #expect(fixture.requests.isEmpty)
        let limited = try await fixture.gateway().syncPeople(maximumRequests: 2).plan()
        #expect(limited.requestsMax == 2 && limited.fitsBudget == nil)
    }

    @Test("a source without resources is an error")
    func unsupported() async throws {
        var source = Source(name: "empty")
        source.resources = ScriptedFeed.declarations
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: source, now: { Timestamp(milliseconds: 0) })
        let (end, _) = try await gateway.syncPeople().run()
        #expect(end.word == "failed: unsupported")
        #expect(try await gateway.syncPeople(details: true).all.count == 1)
    }

    @Test("the first page is fetched once, and only when it is missing")
    func initialize() async throws {
        let fixture = try await ResourceFixture()
        #expect(try await fixture.gateway.initialize(fixture.gateway.people()) == 20)
        #expect(try await fixture.gateway.initialize(fixture.gateway.people()) == nil)
        #expect(try await fixture.gateway.initialize(fixture.gateway.projects()) == 20)
        #expect(try await fixture.gateway.initialize(fixture.gateway.projects()) == nil)
        #expect(fixture.requests == ["people after 0", "projects of octocat"])
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayGateway

@Suite("Syncing rows by links")
struct SyncLinkedTests {
    @Test(
        "the pages of a list are followed by their links, and the source's page count is reported"
    )
    func first() async throws {
        let fixture = try await ResourceFixture()
        let events = try await fixture.gateway().syncProjects().all
        let progress = events.compactMap { if case .saved(let progress) = $0 { progress } else { nil } }
        #expect(progress.map(\.rows) == [20, 40, 50])
        #expect(progress.map(\.pageCount) == [3, 3, 3])
        #expect(
            progress.map(\.next) == ["projects of octocat page 2", "projects of octocat page 3", nil])
        #expect(try await fixture.stored("projects").count == 50)
    }

    @Test("after an interruption it checks its last page and continues at the link; the plan counts both")
    func resumed() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.gateway().syncProjects(maximumRequests: 1).run()
        let plan = try await fixture.gateway().syncProjects().plan()
        #expect(plan.pagesDone == 1 && plan.requestsMin == 3 && plan.requestsMax == 3)
        let (end, _) = try await fixture.gateway().syncProjects("OctoCat").run()
        #expect(end.word == "complete")
        #expect(
            fixture.requests == [
                "projects of octocat", "projects of OctoCat if changed", "projects of OctoCat page 2",
                "projects of OctoCat page 3",
            ])
    }

    @Test(
        "an implausible page count is ignored",
        arguments: [(Int64.min, nil), (-1, nil), (0, nil), (.max, nil), (3, 2)] as [(Int64, Int?)])
    func pageCounts(_ told: Int64, _ left: Int?) async throws {
        let gateway = try await ResourceFixture { _ in OnePageFeed(pageCount: told) }.gateway
        let (end, progress) = try await gateway.syncProjects().run()
        #expect(end.word == "failed: offline" && progress.pageCount == left.map { Int64($0) + 1 })
        let plan = try await gateway.syncProjects().plan()
        #expect(plan.requestsMin == (left ?? 1) + 1 && plan.requestsMax == left.map { $0 + 1 })
    }

    /// A list whose first page states a page count, and whose second page fails.
    private struct OnePageFeed: PageFeed {
        let pageCount: Int64

        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            guard request.next == nil else { throw PatchbayError(.offline, "the network is down") }
            let resource = request.question.resource
            let items = try ScriptedFeed.projects(1...2).map { try ScriptedFeed.item($0, of: resource) }
            var page = ItemPage(items, next: "2")
            page.pageCount = pageCount
            return .changed(page, Validator())
        }
    }

    @Test("a second run receives \"unchanged\" for each page and follows the stored links")
    func secondRun() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        _ = try await gateway.syncProjects().run()
        let (end, progress) = try await gateway.syncProjects().run()
        #expect(end.word == "complete" && progress.unchanged == 3 && progress.rows == 50)
        #expect(fixture.requests.suffix(3).allSatisfy { $0.hasSuffix(" if changed") })
    }

    @Test("a page is requested unconditionally if another program has deleted one of its rows")
    func deletedRow() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        _ = try await gateway.syncProjects().run()
        try await gateway.delete(fixture.stored("projects")[25].key, of: "projects")
        let (end, progress) = try await gateway.syncProjects().run()
        #expect(end.word == "complete" && progress.unchanged == 2)
        #expect(try await fixture.stored("projects").count == 50)
    }

    @Test("a full last page is requested unconditionally")
    func fullLastPage() async throws {
        let fixture = try await ResourceFixture(projects: 1...40)
        let gateway = try await fixture.gateway()
        _ = try await gateway.syncProjects().run()
        fixture.feed.change("projects") { $0 += ScriptedFeed.projects(41...45) }
        let (_, progress) = try await gateway.syncProjects().run()
        #expect(progress.rows == 45)
        let last = Array(fixture.requests.suffix(2))
        #expect(last == ["projects of octocat page 2", "projects of octocat page 3"])
    }

    @Test("public projects missing from the list are marked as gone; private ones are not")
    func unlisted() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        fixture.feed.change("projects") { $0[4]["is_private"] = .boolean(true) }
        _ = try await gateway.syncProjects().run()
        fixture.feed.change("projects") { $0.removeAll { [5, 6, 50].contains($0.id) } }
        _ = try await gateway.syncProjects().run()
        let stored = try await fixture.stored("projects")
        #expect(stored.count == 50)
        #expect(stored.filter { $0.state.goneAt != nil }.map(\.id) == [6, 50])
    }

    @Test("stored pages after the end of a list that has become shorter are deleted")
    func shorter() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        _ = try await gateway.syncProjects().run()
        fixture.feed.change("projects") { $0.removeAll { $0.id > 15 } }
        _ = try await gateway.syncProjects().run()
        let pages = try await fixture.stored(StoredListPage.self)
        #expect(pages.map(\.position) == [0])
        #expect(try await gateway.syncProjects().plan().requestsMax == 1)
    }

    @Test("changes are stored under their project, which is fetched first when it is not stored")
    func changes() async throws {
        let fixture = try await ResourceFixture(changes: ScriptedFeed.changes(45, of: 7))
        let gateway = fixture.gateway, question = try gateway.changes(of: "octocat/p-7")
        #expect(try await gateway.sync(question).plan().requestsMin == 2)
        let (end, progress) = await gateway.sync(question).run()
        #expect(end.word == "complete" && progress.requests == 4 && progress.list == "changes of octocat/p-7")
        let stored = try await fixture.stored("changes")
        #expect(stored.count == 45 && stored.allSatisfy { $0.integer("project") == 7 })
        let (_, second) = await gateway.sync(question).run()
        #expect(second.requests == 3)
    }

    @Test("the sync of a project without changes completes")
    func noChanges() async throws {
        let fixture = try await ResourceFixture()
        let (end, progress) = try await fixture.gateway.sync(fixture.gateway.changes(of: "octocat/p-7")).run()
        #expect(end.word == "complete" && progress.rows == 1)
        #expect(try await fixture.stored(StoredListRun.self).map(\.rows) == [0])
    }

    @Test("a list that is a view of others marks no row as gone")
    func view() async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway
        _ = try await gateway.syncProjects().run()
        fixture.feed.change("projects") { $0.removeAll { $0.id == 7 } }
        let all = try gateway.question(gateway.resource("projects"), list: "all")
        let (end, progress) = await gateway.sync(all).run()
        #expect(end.word == "complete" && progress.list == "all projects")
        #expect(try await fixture.stored("projects").allSatisfy { $0.state.goneAt == nil })
    }

    @Test("a list that has become empty marks its former rows as gone, but not those of other owners")
    func emptied() async throws {
        let fixture = try await ResourceFixture(projects: 1...5)
        let gateway = fixture.gateway
        var other = ScriptedFeed.projects(90...90)
        (other[0]["owner_id"], other[0]["owner"]) = (.integer(2), .text("hubot"))
        try await gateway.put(other, in: "projects")
        _ = try await gateway.syncProjects().run()
        fixture.feed.change("projects") { $0 = [] }
        _ = try await gateway.syncProjects().run()
        let gone = try await fixture.stored("projects").filter { $0.state.goneAt != nil }
        #expect(gone.map(\.id) == Array(1...5))
    }

    @Test("a foreign cursor restarts the list, but only once")
    func foreignCursor() async throws {
        let fixture = try await ResourceFixture {
            RefusingFeed($0, ["projects of octocat page 3"], ForeignLink())
        }
        _ = try await fixture.gateway.syncProjects(maximumRequests: 2).run()
        let (end, progress) = try await fixture.gateway.syncProjects().run()
        #expect(end.word == "failed: invalid value" && progress.requests == 5)
        // An unchanged page would keep the link that was refused.
        #expect(fixture.requests.suffix(2) == ["projects of octocat", "projects of octocat page 2"])
        let run = try #require(try await fixture.stored(StoredListRun.self).first)
        #expect(run.pages == 2 && run.next == "projects of octocat page 3" && run.finishedAt == nil)
    }

    @Test("an expired cursor restarts the list, but not one that the source returns again and still refuses")
    func voidCursor() async throws {
        let fixture = try await ResourceFixture {
            RefusingFeed($0, ["projects of octocat page 3"], VoidCursor())
        }
        for requests in [3 + 3, 4, 4] {
            let (end, progress) = try await fixture.gateway.syncProjects().run()
            #expect(end.word == "failed: invalid value" && progress.requests == requests)
        }
        // An unchanged page would keep the link, which may have expired.
        #expect(fixture.requests.last == "projects of octocat page 2")
        let run = try #require(try await fixture.stored(StoredListRun.self).first)
        #expect(run.pages == 2 && run.next == "projects of octocat page 3" && run.finishedAt == nil)
    }

    private func refusingPage3(_ isRefused: @escaping @Sendable () -> Bool) async throws -> ResourceFixture {
        try await ResourceFixture {
            RefusingFeed($0) { request in
                guard request.next == "projects of octocat page 3", isRefused() else { return nil }
                return PatchbayError(.invalidValue, "no such page", [.status(400)])
            }
        }
    }

    @Test("a list does not start over for a link that the source has just returned and refuses")
    func refusedLink() async throws {
        let isRefused = Mutex(true)
        let fixture = try await refusingPage3 { isRefused.withLock { $0 } }
        for requests in [3, 4, 4] {
            let (end, progress) = try await fixture.gateway.syncProjects().run()
            #expect(end.word == "failed: invalid value" && progress.requests == requests)
            guard case .failed(let error) = end else { return }
            #expect(
                error.message
                    == "after 2 pages, the next one was refused, so further rows are missing: no such page")
        }
        // An unchanged page would keep the link, which may have expired.
        #expect(fixture.requests.last == "projects of octocat page 2")
        isRefused.withLock { $0 = false }
        #expect(try await fixture.gateway.syncProjects().run().0.word == "complete")
    }

    @Test("a refused link on a page that is \"not modified\" restarts the list, once")
    func refusedStoredLink() async throws {
        let isRefused = Mutex(false)
        let fixture = try await refusingPage3 { isRefused.withLock { $0 } }
        _ = try await fixture.gateway.syncProjects().run()
        isRefused.withLock { $0 = true }
        for requests in [6, 4, 4] {
            let (end, progress) = try await fixture.gateway.syncProjects().run()
            #expect(end.word == "failed: invalid value" && progress.requests == requests)
        }
    }
}

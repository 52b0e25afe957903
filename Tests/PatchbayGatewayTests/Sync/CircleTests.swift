import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A list that leads in a circle")
struct CircleTests {
    /// Pages that link to one another: the first, `page 1`, `page 2` and so on, then `page 1` again.
    private struct Circle: PageFeed {
        let pages: Int

        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            let number = request.next.flatMap { Int($0.dropFirst(5)) } ?? 0
            let resource = request.question.resource
            let items = try ScriptedFeed.projects([Int64(number + 1)])
                .map { try ScriptedFeed.item($0, of: resource) }
            return .changed(ItemPage(items, next: "page \(number % pages + 1)"), Validator())
        }
    }

    private func fixture(_ pages: Int) async throws -> ResourceFixture {
        try await ResourceFixture { _ in Circle(pages: pages) }
    }

    @Test("is detected by a sync at the first repeated link", arguments: [1, 2, 3, 50])
    func sync(_ pages: Int) async throws {
        let (end, progress) = try await fixture(pages).gateway.syncProjects().run()
        #expect(end.word == "failed: invalid response")
        #expect(progress.requests == pages + 1)
    }

    @Test(
        "is detected by a list at the first repeated link, and the fetched pages are shown",
        arguments: [1, 2, 3, 50])
    func list(_ pages: Int) async throws {
        let answer = try await fixture(pages).gateway.listProjects(limit: 1_000).ending
        #expect(answer.outcome.word == "failed: invalid response")
        #expect(answer.value?.items.count == pages)
        #expect(answer.value?.isPartial == true && answer.value?.hasMore == false)
    }

    @Test("is detected by a window that moves forward", arguments: [1, 2, 3, 50])
    func window(_ pages: Int) async throws {
        let gateway = try await fixture(pages).gateway
        let window = gateway.window(try gateway.projects(), size: 5)
        var state = await window.jump(to: .start), steps = 0
        while state.hasLater, state.error == nil, steps < 200 {
            state = await window.next(1)
            steps += 1
        }
        #expect(state.error?.code == .invalidResponse && steps == pages)
    }

    @Test("is detected by a sync that resumes inside it, because earlier links are stored")
    func resumed() async throws {
        let fixture = try await fixture(3)
        _ = try await fixture.gateway().syncProjects(maximumRequests: 2).run()
        let (end, progress) = try await fixture.gateway().syncProjects().run()
        #expect(end.word == "failed: invalid response")
        #expect(progress.requests == 3)
    }

    /// A list of pages with these rows, of which the last is returned for every later number as well.
    private struct Clamped: PageFeed {
        let pages: [[Int64]]
        var hasEnd = false

        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            let number = request.next.flatMap { Int($0.dropFirst(5)) } ?? 0
            let resource = request.question.resource, ids = pages[min(number, pages.count - 1)]
            let rows = resource.name == "people" ? ScriptedFeed.people(ids) : ScriptedFeed.projects(ids)
            let isLast = hasEnd && number == pages.count - 1
            let items = try rows.map { try ScriptedFeed.item($0, of: resource) }
            return .changed(ItemPage(items, next: isLast ? nil : "page \(number + 1)"), Validator())
        }
    }

    @Test("is detected at the hundred and first consecutive page without rows, also after an interruption")
    func emptyPages() async throws {
        let fixture = try await ResourceFixture { _ in Clamped(pages: [[1, 2], []]) }
        let (limited, _) = try await fixture.gateway().syncProjects(maximumRequests: 90).run()
        #expect(limited.word == "limit reached")
        let (end, progress) = try await fixture.gateway().syncProjects().run()
        guard case .failed(let error) = end else {
            Issue.record("it did not fail")
            return
        }
        #expect(progress.requests == 13)
        #expect(
            error.message
                == "more than 100 consecutive pages of projects of octocat have no rows but name a next page; if an "
                + "empty page ends the list, set projects.end = empty in the definition")
        #expect(try await fixture.stored("projects").count == 2)
    }

    @Test("is not an empty page for each period of a list that is read in periods")
    func emptyPeriods() async throws {
        func fixture(_ feed: any ResourceFeed) async throws -> ResourceFixture {
            try await ResourceFixture(
                around: { _ in feed },
                changing: { source in
                    var since = SinceDeclaration(parameter: "since", field: "id")
                    since.start = ManualClock().now().advanced(by: .seconds(-250 * 86_400))
                    since.window = .seconds(86_400)
                    for place in source.resources.indices { source.resources[place].since = since }
                })
        }
        let pages: [[Int64]] = [[1, 2]] + Array(repeating: [], count: 240) + [[3]]
        let whole = try await fixture(Clamped(pages: pages, hasEnd: true))
        let (end, progress) = try await whole.gateway().syncProjects().run()
        #expect(end.word == "complete" && progress.requests == 242)
        #expect(try await whole.stored("projects").map(\.id) == [1, 2, 3])
        let endless = try await fixture(Clamped(pages: [[1, 2], []]))
        guard case .failed(let error) = try await endless.gateway().syncProjects().run().0 else {
            Issue.record("it did not fail")
            return
        }
        #expect(
            error.message.hasPrefix("more than 350 consecutive pages of projects of octocat have no rows"))
    }

    @Test("is detected at the third consecutive page with the same rows, also after an interruption")
    func clamped() async throws {
        let fixture = try await ResourceFixture { _ in Clamped(pages: [[1, 2], [3, 4]]) }
        let (limited, _) = try await fixture.gateway().syncProjects(maximumRequests: 2).run()
        #expect(limited.word == "limit reached")
        for requests in [3, 2] {
            let (end, progress) = try await fixture.gateway().syncProjects().run()
            guard case .failed(let error) = end else {
                Issue.record("it did not fail")
                return
            }
            #expect(error.code == .invalidResponse && progress.requests == requests)
            #expect(
                error.message
                    == "three consecutive pages of projects of octocat have the same rows; check "
                    + "projects.next in the definition: the source may not know its parameter, or return "
                    + "its last page again and again")
        }
        let stored = try await fixture.stored("projects")
        #expect(stored.map(\.id) == [1, 2, 3, 4] && stored.allSatisfy { $0.state.goneAt == nil })
    }

    /// Pages with the same rows, whose keys are their places in the list.
    private struct Counted: PageFeed {
        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            let number = request.next.flatMap { Int64($0.dropFirst(5)) } ?? 0
            var row = ScriptedFeed.projects([1])[0]
            row["id"] = .integer(number)
            let items = [try ScriptedFeed.item(row, of: request.question.resource)]
            return .changed(ItemPage(items, next: "page \(number + 1)"), Validator())
        }
    }

    @Test("is detected at the third consecutive page with the same rows whose keys are their places")
    func places() async throws {
        let fixture = try await ResourceFixture(around: { _ in Counted() }) { source in
            let place = source.resources.firstIndex { $0.name == "projects" }!
            source.resources[place].fields[0].origin = .place
        }
        let (end, progress) = try await fixture.gateway.syncProjects().run()
        #expect(end.word == "failed: invalid response" && progress.requests == 3)
    }

    @Test("is detected by a search that returns the same page for every number")
    func search() async throws {
        let gateway = try await ResourceFixture { _ in Clamped(pages: [[1], [2]]) }.gateway
        let (end, progress) = try await gateway.searchAll(gateway.resource("people"), "user").run()
        #expect(end.word == "failed: invalid response" && progress.requests == 4)
    }

    @Test(
        "does not include two equal pages, equal last pages, or pages without rows",
        arguments: [[[1], [1], [2], [2], [1]], [[1, 2], [1, 2], [1, 2]], [[], [], [], [], [3]]])
    func legitimate(_ pages: [[Int64]]) async throws {
        let fixture = try await ResourceFixture { _ in Clamped(pages: pages, hasEnd: true) }
        let (end, progress) = try await fixture.gateway.syncProjects().run()
        #expect(end.word == "complete" && progress.requests == pages.count)
    }

    @Test("is a link to an address that was requested, whatever its fragment")
    func fragments() throws {
        var run = StoredListRun(list: "list", query: "", startedAt: Timestamp(milliseconds: 0))
        run.next = "page 1#20"
        let walk = ListWalk(run)
        run.next = "page 1#40"
        #expect(throws: PatchbayError.self) { try walk.check(run, of: "list") }
    }

    @Test("no more links are kept than the limit, so a longer circle is detected later")
    func links() throws {
        var walk = ListWalk(StoredListRun(list: "list", query: "", startedAt: Timestamp(milliseconds: 0)))
        for number in 0...ListWalk.linksMax + 1 {
            var moved = walk.run
            moved.next = "page \(number)"
            try walk.check(moved, of: "list")
            walk.advance(to: moved)
        }
        var back = walk.run
        back.next = "page 1"
        try walk.check(back, of: "list")
        walk.add("page 1")
        #expect(throws: PatchbayError.self) { try walk.check(back, of: "list") }
    }
}

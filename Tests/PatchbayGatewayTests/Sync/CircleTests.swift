import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A list that leads in a circle")
struct CircleTests {
    /// Pages that link to one another: the first, `page 1`, `page 2` and so on, then `page 1` again.
    private struct Circle: ResourceFeed {
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

        func item(
            _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
        ) async throws -> Fetched<Item> { throw PatchbayError(.notFound, "there is none") }
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
        #expect(answer.value?.isPartial == true && answer.value?.goesOn == false)
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
        #expect(progress.requests == 2)
    }

    @Test("no more links are kept than the limit, so a longer circle is detected later")
    func links() throws {
        var followed = FollowedLinks()
        var from = StoredListRun(list: "list", query: "", startedAt: Timestamp(milliseconds: 0))
        for number in 0...FollowedLinks.countMax + 1 {
            var moved = from
            moved.next = "page \(number)"
            try followed.check(moved, from: from, of: "list")
            followed.add(from.next)
            from = moved
        }
        var back = from
        back.next = "page 1"
        try followed.check(back, from: from, of: "list")
        followed.add("page 1")
        #expect(throws: PatchbayError.self) { try followed.check(back, from: from, of: "list") }
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A list that leads in a circle")
struct CircleTests {
    /// Pages that name one another as their next: the first, `page 1`, `page 2` and so on, and then `page 1` again.
    private struct Circle: RepositorySource {
        let pages: Int

        func repositories(
            _ page: PageRequest<RepositoryList>, ifChangedFrom validator: Validator
        ) async throws -> Fetched<Page<Repository>> {
            var number = 0
            if case .next(let link) = page { number = Int(link.dropFirst(5)) ?? 0 }
            return .changed(
                Page(
                    ScriptedRepositorySource.repositories([Int64(number + 1)]),
                    next: "page \(number % pages + 1)"),
                Validator())
        }

        func repository(
            _ name: RepositoryName, ifChangedFrom validator: Validator
        ) async throws -> Fetched<Repository> { throw PatchbayError(.notFound, "there is none") }
    }

    private func gateway(_ pages: Int, _ storage: MemoryStorage) async throws -> Gateway {
        var source = Source(name: "circle")
        source.repositories = Circle(pages: pages)
        return try await Gateway(storage: storage, source: source, now: { Timestamp(milliseconds: 0) })
    }

    @Test("is noticed by a sync when it names a page again", arguments: [1, 2, 3, 50])
    func sync(_ pages: Int) async throws {
        let gateway = try await gateway(pages, MemoryStorage())
        let (end, progress) = await gateway.syncRepositories(.ofUser("octocat")).run()
        #expect(end.word == "failed: invalid response")
        #expect(progress.requests == pages + 1)
    }

    @Test("is noticed by a window just as soon, and its other pages are shown", arguments: [1, 2, 3, 50])
    func window(_ pages: Int) async throws {
        let gateway = try await gateway(pages, MemoryStorage())
        let answer = await gateway.listRepositories(.ofUser("octocat"), limit: 1_000).ending
        #expect(answer.outcome.word == "failed: invalid response")
        #expect(answer.value?.repositories.count == pages)
        #expect(answer.value?.isPartial == true && answer.value?.goesOn == false)
    }

    @Test("is noticed by a sync that resumes inside it")
    func resumed() async throws {
        let storage = MemoryStorage()
        let first = try await gateway(3, storage)
        _ = await first.syncRepositories(.ofUser("octocat"), maximumRequests: 2).run()
        let second = try await gateway(3, storage)
        let (end, progress) = await second.syncRepositories(.ofUser("octocat")).run()
        #expect(end.word == "failed: invalid response")
        #expect(progress.requests == 3)
    }

    @Test("two links of one hash are two links, and no more are kept than the limit")
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

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayGateway

@Suite("Continuing the sync of the lists of every stored row")
struct ContinuedChildrenTests {
    /// Projects that each have five changes on three pages.
    private static func fixture(
        _ projects: ClosedRange<Int64> = 1...3,
        refusing refusal: @escaping @Sendable (ItemRequest) -> PatchbayError? = { _ in nil }
    ) async throws -> ResourceFixture {
        let changes = projects.flatMap { ScriptedFeed.changes(5, of: $0) }
        let fixture = try await ResourceFixture(projects: projects, changes: changes, pageSize: 2) {
            RefusingFeed($0) { refusal($0) }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(projects), in: "projects")
        return fixture
    }

    private static func sync(_ gateway: Gateway, maximumRequests: Int? = nil) throws -> Sync {
        gateway.syncChildren(
            try gateway.resource("changes"), concurrency: 1, maximumRequests: maximumRequests)
    }

    private static func list(_ gateway: Gateway, of project: String) async throws -> ItemList? {
        try await gateway.list("changes", project, policy: .localOnly).ending.value
    }

    @Test("rows that moved while the sync was interrupted are fetched")
    func moved() async throws {
        let fixture = try await Self.fixture()
        #expect(try await Self.sync(fixture.gateway, maximumRequests: 2).run().0.word == "limit reached")
        // The fifth row of the first list comes to its second page.
        fixture.feed.change("changes") { $0.removeFirst() }
        fixture.clock.advance(by: .seconds(1))
        #expect(try await Self.sync(fixture.gateway()).run().0.word == "complete")
        // The one that is gone was stored before.
        #expect(try await fixture.stored("changes").count == 15, "\(fixture.requests)")
    }

    @Test("lists that a sync of all has not reached are missing")
    func missingLists() async throws {
        let fixture = try await Self.fixture(1...5)
        let gateway = fixture.gateway, resource = try gateway.resource("changes")
        func ages() async throws -> ListAges {
            try await gateway.store.read { try $0.listAges(of: resource, among: gateway.resources) }
        }
        #expect(try await Self.sync(gateway, maximumRequests: 8).run().0.word == "limit reached")
        let missing = try await ages()
        #expect(missing.finished + missing.partial == 5 && missing.partial >= 2, "\(missing)")
        #expect(missing.partialNames.contains("5"), "\(missing)")
        #expect(try await Self.sync(gateway).run().0.word == "complete")
        #expect(try await ages().partial == 0)
        try await gateway.put(ScriptedFeed.projects(6...6), in: "projects")
        #expect(try await ages().partialNames == ["6"])
    }

    @Test("lists of rows that were cleared are incomplete until these rows are stored again")
    func clearedParents() async throws {
        let fixture = try await Self.fixture(1...3)
        let gateway = fixture.gateway, resource = try gateway.resource("changes")
        func partial() async throws -> [String] {
            try await gateway.store.read {
                try $0.listAges(of: resource, among: gateway.resources).partialNames
            }
        }
        #expect(try await Self.sync(gateway).run().0.word == "complete")
        #expect(try await partial().isEmpty)
        try await gateway.clear(gateway.resource("projects"))
        #expect(try await partial().count == 3)
        try await gateway.put(ScriptedFeed.projects(1...2), in: "projects")
        #expect(try await partial() == ["3 of a cleared project"])
        try await gateway.put(ScriptedFeed.projects(3...3), in: "projects")
        #expect(try await partial().isEmpty)
    }

    @Test("a sync that may send one request does not pretend to continue a list")
    func oneRequest() async throws {
        let fixture = try await Self.fixture()
        let sync = { try await Self.sync(fixture.gateway(), maximumRequests: 1).run().0.word }
        #expect(try await sync() == "limit reached")
        #expect(try await sync() == "failed: invalid value")
        #expect(fixture.requests.count == 1)
    }

    @Test(
        "a list whose cursor is void starts over in the same sync",
        arguments: [VoidCursor(), ForeignLink()] as [any Error & Sendable])
    func voidCursor(_ cause: any Error & Sendable) async throws {
        let isVoid = Mutex(true)
        let fixture = try await Self.fixture { request in
            guard request.question.parent?.handle == "octocat/p-2", request.next != nil else { return nil }
            return isVoid.withLock { isVoid in
                defer { isVoid = false }
                return isVoid ? PatchbayError(.invalidResponse, "void", cause: cause) : nil
            }
        }
        let (end, progress) = try await Self.sync(fixture.gateway).run()
        #expect(end.word == "complete" && progress.skipped == 0 && progress.requests == 3 * 3 + 2)
        #expect(try await fixture.stored("changes").count == 15)
    }

    @Test("a cursor that is void again is an error, and the list is not complete")
    func voidForEver() async throws {
        let fixture = try await Self.fixture { request in
            guard request.question.parent?.handle == "octocat/p-2", request.next != nil else { return nil }
            return PatchbayError(.invalidResponse, "void", cause: VoidCursor())
        }
        let (end, progress) = try await Self.sync(fixture.gateway).run()
        #expect(end.word == "failed: invalid response" && progress.skipped == 1)
    }

    @Test("lists that are always refused do not keep a sync with a limit from the others")
    func starving() async throws {
        let fixture = try await Self.fixture(1...6) { request in
            let refused = ["octocat/p-1", "octocat/p-2", "octocat/p-3"]
            return refused.contains(request.question.parent?.handle ?? "")
                ? PatchbayError(.notFound, "no changes", [.status(404)]) : nil
        }
        for _ in 0..<8 {
            _ = try await Self.sync(fixture.gateway(), maximumRequests: 3).run()
        }
        #expect(try await fixture.stored("changes").count == 15)
    }

    @Test("the lists that were requested count, not those that are fresh, when all are refused")
    func refusedAmongFresh() async throws {
        let isRefused = Mutex(false)
        let fixture = try await Self.fixture(1...2) { _ in
            isRefused.withLock { $0 } ? PatchbayError(.permissionDenied, "no", [.status(403)]) : nil
        }
        #expect(try await Self.sync(fixture.gateway).run().0.word == "complete")
        try await fixture.gateway.put(ScriptedFeed.projects(3...4), in: "projects")
        isRefused.withLock { $0 = true }
        fixture.clock.advance(by: .seconds(1))
        var gateway = try await fixture.gateway()
        gateway.maximumAge = .seconds(3_600)
        let (end, progress) = try await Self.sync(gateway).run()
        #expect(end.word == "incomplete: end" && progress.skipped == 2)
    }

    @Test(
        "a list of which a sync has replaced only the first pages keeps the others, and the rows between them"
    )
    func halfReplaced() async throws {
        let fixture = try await Self.fixture()
        #expect(try await Self.sync(fixture.gateway).run().0.word == "complete")
        fixture.feed.change("changes") { rows in
            var row = rows[0]
            row["sha"] = .text(String(repeating: "f", count: 40))
            rows.insert(row, at: 0)
        }
        fixture.clock.advance(by: .seconds(1))
        let gateway = try await fixture.gateway(), resource = try gateway.resource("changes")
        let whole = try await Self.list(gateway, of: "octocat/p-1")?.items ?? []
        #expect(try await Self.sync(gateway, maximumRequests: 1).run().0.word == "limit reached")
        let ages = try await gateway.store.read { try $0.listAges(of: resource) }
        #expect(ages.finished == 3 && ages.partial == 0, "\(ages)")
        let question = try gateway.question(resource, arguments: ["octocat/p-1"])
        let batches = gateway.batches(of: question, limit: 20, policy: .localOnly)
        for answer in [await gateway.list(question, policy: .localOnly).ending, await batches.next()] {
            let list = try #require(answer?.value)
            #expect(list.items.dropFirst() == whole[...] && list.isWhole && !list.hasMore)
        }
        fixture.clock.advance(by: .seconds(1))
        #expect(try await Self.sync(fixture.gateway()).run().0.word == "complete")
        #expect(try await Self.list(gateway, of: "octocat/p-1")?.items.count == 6)
    }
}

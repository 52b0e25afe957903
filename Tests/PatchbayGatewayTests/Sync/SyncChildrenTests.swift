import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayGateway

@Suite("Syncing the lists of every stored row")
struct SyncChildrenTests {
    /// Projects that each have three changes on two pages.
    private static func fixture(_ projects: ClosedRange<Int64> = 1...30) async throws -> ResourceFixture {
        let changes = (projects.lowerBound...projects.upperBound + 10).flatMap {
            ScriptedFeed.changes(3, of: $0)
        }
        let fixture = try await ResourceFixture(projects: projects, changes: changes, pageSize: 2)
        try await fixture.gateway.put(ScriptedFeed.projects(projects), in: "projects")
        return fixture
    }

    private static func sync(
        _ gateway: Gateway, from start: SyncStart = .whereItStopped, concurrency: Int = 8,
        maximumRequests: Int? = nil
    ) throws -> Sync {
        gateway.syncChildren(
            try gateway.resource("changes"), from: start, concurrency: concurrency,
            maximumRequests: maximumRequests)
    }

    @Test("the list of each row is fetched completely; the plan counts the lists")
    func whole() async throws {
        let fixture = try await Self.fixture()
        let plan = try await Self.sync(fixture.gateway).plan()
        #expect(plan.requestsMin == 30 && plan.requestsMax == nil)
        let (end, progress) = try await Self.sync(fixture.gateway).run()
        #expect(end.word == "complete" && progress.requests == 60 && progress.changes.added == 90)
        #expect(Set(fixture.requests).count == 60)
        #expect(try await fixture.stored("changes").count == 90)
    }

    @Test(
        "it resumes after any interruption, and requests only the last pages of the interrupted lists twice",
        arguments: [2, 3, 7, 16])
    func resumed(_ step: Int) async throws {
        let fixture = try await Self.fixture()
        var isComplete = false, runs = 0
        while !isComplete {
            fixture.clock.advance(by: .seconds(1))
            let sync = try await Self.sync(fixture.gateway(), concurrency: 4, maximumRequests: step)
            let (end, progress) = await sync.run()
            #expect(progress.requests <= step)
            isComplete = end.word == "complete"
            runs += 1
        }
        let first = fixture.requests.filter { !$0.hasSuffix(" if changed") }
        #expect(first.count == 60 && Set(first).count == 60 && fixture.requests.count < 60 + 4 * runs)
        #expect(runs >= 60 / step)
    }

    @Test("a list that lacks rows is reported by every sync that does not request it")
    func shortfall() async throws {
        let fixture = try await Self.fixture(1...3)
        var gateway = try await fixture.gateway()
        #expect(try await Self.sync(gateway).run().0.word == "complete")
        try await gateway.store.write { writing in
            let runs = try writing.reading.list(StoredListRun.self, Query(StoredListRun.collection))
            var run = try #require(runs.first { $0.rows == 3 })
            run.incomplete = Shortfall(.keys, "1 of 3 rows has no id").stored
            try writing.put(run)
        }
        gateway.maximumAge = .seconds(3_600)
        for _ in 0..<2 {
            let (end, progress) = try await Self.sync(gateway).run()
            #expect(end.word == "incomplete: keys" && progress.requests == 0)
            #expect(progress.shortfalls.count == 1)
        }
    }

    @Test("new rows are found anywhere in the order; fresh lists cost no request, others one per page")
    func second() async throws {
        let fixture = try await Self.fixture(5...30)
        _ = try await Self.sync(fixture.gateway).run()
        try await fixture.gateway.put(ScriptedFeed.projects([1, 2, 35]), in: "projects")
        fixture.feed.change("changes") { $0 += [1, 2].flatMap { ScriptedFeed.changes(3, of: $0) } }
        fixture.clock.advance(by: .seconds(600))
        var gateway = try await fixture.gateway()
        gateway.maximumAge = .seconds(3_600)
        #expect(try await Self.sync(gateway).plan().requestsMin == 3)
        #expect(try await Self.sync(gateway).run().1.requests == 6)
        fixture.clock.advance(by: .seconds(4_000))
        let (_, progress) = try await Self.sync(gateway).run()
        #expect(progress.requests == 58 && progress.unchanged == 58)
    }

    @Test("a list is not requested when its row was fetched later and reports no change since")
    func unchanged() async throws {
        let fixture = try await ResourceFixture(
            projects: 1...3, changes: (1...3).flatMap { ScriptedFeed.changes(1, of: $0) },
            changing: { source in
                source.resources = source.resources.map { resource in
                    var resource = resource
                    if resource.name == "projects" {
                        resource.fields.append(FieldDeclaration("pushed", .time))
                    }
                    if resource.name == "changes" { resource.changedAt = "pushed" }
                    return resource
                }
            })
        func store(_ id: Int64, pushed: Timestamp) async throws {
            var row = ScriptedFeed.projects([id])[0]
            row["pushed"] = .time(pushed)
            try await fixture.gateway.put([row], in: "projects")
        }
        let start = fixture.clock.now(), day: Int64 = 86_400_000
        let date = Timestamp(milliseconds: start.milliseconds / day * day)
        try await store(1, pushed: start)
        try await store(2, pushed: start)
        try await store(3, pushed: date)
        fixture.clock.advance(by: .seconds(600))
        _ = try await Self.sync(fixture.gateway).run()
        fixture.clock.advance(by: .seconds(10))
        try await store(1, pushed: start)
        // The source's clock is behind.
        try await store(2, pushed: fixture.clock.now().advanced(by: .seconds(-200)))
        try await store(3, pushed: date)
        fixture.clock.advance(by: .seconds(10))
        _ = try await Self.sync(fixture.gateway).run()
        let again = fixture.requests.dropFirst(3).sorted()
        #expect(again == [2, 3].map { "changes of octocat/p-\($0) if changed" })
    }

    @Test("a list that cannot be read fails the sync after the others were fetched")
    func unreadable() async throws {
        let fixture = try await ResourceFixture(projects: 1...3, changes: ScriptedFeed.changes(1, of: 3)) {
            RefusingFeed($0) { request in
                guard request.question.parent?.handle == "octocat/p-2" else { return nil }
                return PatchbayError(.invalidResponse, "a time is missing")
            }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(1...3), in: "projects")
        let (end, progress) = try await Self.sync(fixture.gateway).run()
        #expect(end.word == "failed: invalid response")
        #expect(progress.skipped == 1 && progress.changes.added == 1)
    }

    @Test("a row whose list is refused is skipped; a rate limit ends the sync")
    func refused() async throws {
        let fixture = try await ResourceFixture(projects: 1...3, changes: ScriptedFeed.changes(1, of: 3)) {
            RefusingFeed($0) { request in
                guard request.question.parent?.handle == "octocat/p-2" else { return nil }
                return PatchbayError(.permissionDenied, "not for you")
            }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(1...3), in: "projects")
        let events = try await Self.sync(fixture.gateway).all
        let skipped = events.compactMap { if case .skipped(let name, _) = $0 { name } else { nil } }
        #expect(skipped == ["changes of octocat/p-2"])
        guard case .ended(.complete, let progress) = events.last else {
            Issue.record("it did not end")
            return
        }
        #expect(progress.skipped == 1 && progress.requests == 3)
        fixture.feed.answers.fail(with: PatchbayError(.rateLimited, "wait"))
        fixture.clock.advance(by: .seconds(1))
        #expect(try await Self.sync(fixture.gateway).run().0.word == "failed: rate limited")
    }

    @Test(
        "a list whose next page is refused makes every sync incomplete until the rest is fetched",
        arguments: [
            PatchbayError(.invalidValue, "no such cursor", [.status(400)]),
            PatchbayError(.notFound, "no such page", [.status(404)]),
        ]
    )
    func refusedPage(_ error: PatchbayError) async throws {
        let isRefused = Mutex(true)
        let changes = (1...3).flatMap { ScriptedFeed.changes(3, of: $0) }
        let fixture = try await ResourceFixture(projects: 1...3, changes: changes, pageSize: 2) {
            RefusingFeed($0) { request in
                let isIt = request.question.parent?.handle == "octocat/p-2" && request.next != nil
                return isIt && isRefused.withLock { $0 } ? error : nil
            }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(1...3), in: "projects")
        for _ in 1...2 {
            fixture.clock.advance(by: .seconds(1))
            let (end, progress) = try await Self.sync(fixture.gateway()).run()
            #expect(end.word == "incomplete: end" && progress.skipped == 1)
            let reason = progress.shortfalls.first?.shortfall.reason
            #expect(
                reason
                    == "after 1 page, the next one was refused, so further rows are missing: \(error.message)"
            )
        }
        #expect(try await fixture.stored("changes").count == 8)
        isRefused.withLock { $0 = false }
        fixture.clock.advance(by: .seconds(1))
        #expect(try await Self.sync(fixture.gateway()).run().0.word == "complete")
        #expect(try await fixture.stored("changes").count == 9)
    }

    @Test(
        "refusals of all lists make the sync incomplete, unless they are few and may concern only the rows",
        arguments: [
            (3, PatchbayError.Code.invalidValue, 400), (3, .permissionDenied, 403), (20, .notFound, 404),
            (3, .notFound, 404),
        ])
    func allRefused(_ count: Int64, _ code: PatchbayError.Code, _ status: Int) async throws {
        let fixture = try await ResourceFixture(projects: 1...count) {
            RefusingFeed($0) { _ in PatchbayError(code, "no", [.status(status)]) }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(1...count), in: "projects")
        for _ in 1...2 {
            fixture.clock.advance(by: .seconds(1))
            let (end, progress) = try await Self.sync(fixture.gateway()).run()
            let mayConcernRows = code == .notFound && count < 20
            #expect(
                end.word == (mayConcernRows ? "complete" : "incomplete: end") && progress.skipped == count)
            #expect(
                progress.shortfalls.map(\.shortfall.reason)
                    == (mayConcernRows
                        ? [] : ["none of \(count) lists was answered; changes of octocat/p-1: no"]))
        }
    }

    @Test("a row for which the server fails stops no other list, neither in this sync nor in later ones")
    func failing() async throws {
        let fails = Mutex(true)
        let changes = (1...30).flatMap { ScriptedFeed.changes(1, of: $0) }
        let fixture = try await ResourceFixture(projects: 1...30, changes: changes) {
            RefusingFeed($0) { request in
                guard fails.withLock({ $0 }), request.question.parent?.handle == "octocat/p-4" else {
                    return nil
                }
                return PatchbayError(.offline, "the server could not answer", [.status(500)])
            }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(1...30), in: "projects")
        // Fresh lists are not requested.
        for (days, requests) in [(0, 30), (0, 1), (1, 30)] {
            fixture.clock.advance(by: .seconds(86_400 * days))
            let events = try await Self.sync(fixture.gateway()).all
            let skipped = events.compactMap { if case .skipped(let name, _) = $0 { name } else { nil } }
            #expect(skipped == ["changes of octocat/p-4"])
            guard case .ended(.failed(let error), let progress) = events.last else {
                Issue.record("it did not fail")
                return
            }
            #expect(error.code == .offline && progress.requests == requests)
        }
        #expect(try await fixture.stored("changes").count == 29)
        fails.withLock { $0 = false }
        let (end, progress) = try await Self.sync(fixture.gateway()).run()
        #expect(end.word == "complete" && progress.requests == 1)
    }

    @Test("a server that fails three times in a row receives no requests for the other rows")
    func down() async throws {
        let asked = Mutex(0)
        let fixture = try await ResourceFixture(projects: 1...30) {
            RefusingFeed($0) { request in
                asked.withLock { $0 += 1 }
                return PatchbayError(.offline, "the server could not answer", [.status(503)])
            }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(1...30), in: "projects")
        let (end, _) = try await Self.sync(fixture.gateway, concurrency: 1).run()
        #expect(end.word == "failed: offline" && asked.withLock { $0 } == 3)
        let (other, _) = try await Self.sync(fixture.gateway(), concurrency: 8).run()
        #expect(other.word == "failed: offline" && asked.withLock { $0 } <= 3 + 8)
        guard case .failed(let error) = end else { return }
        #expect(
            error.message
                == "the server failed 3 times in a row, so the sync stopped: the server could not answer; stored rows "
                + "are kept, and the next sync requests what is missing")
        #expect(error.status == 503)
    }

    @Test("after a stop, the next sync begins with the rows that follow; those that failed come last")
    func postponed() async throws {
        let asked = Mutex<[String]>([]), broken = ["octocat/p-2", "octocat/p-3", "octocat/p-4"]
        let fixture = try await ResourceFixture(
            projects: 1...9, changes: (1...9).flatMap { ScriptedFeed.changes(1, of: $0) }
        ) {
            RefusingFeed($0) { request in
                let handle = request.question.parent?.handle ?? ""
                asked.withLock { $0.append(handle) }
                guard broken.contains(handle) else { return nil }
                return PatchbayError(.offline, "the server could not answer", [.status(500)])
            }
        }
        try await fixture.gateway.put(ScriptedFeed.projects(1...9), in: "projects")
        let rest = (5...9).map { "octocat/p-\($0)" }
        for expected in [["octocat/p-1"] + broken, rest + broken, broken] {
            asked.withLock { $0 = [] }
            let (end, _) = try await Self.sync(fixture.gateway(), concurrency: 1).run()
            #expect(end.word == "failed: offline" && asked.withLock { $0 } == expected)
        }
        #expect(try await fixture.stored("changes").count == 6)
    }

    @Test("without stored rows the error names the resource to fetch first")
    func empty() async throws {
        let fixture = try await ResourceFixture()
        guard case .failed(let error) = try await Self.sync(fixture.gateway).run().0 else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .notFound && error.message.contains("fetch projects first"))
    }

    @Test("from the beginning, every list is requested regardless of its age")
    func restarted() async throws {
        let fixture = try await Self.fixture(1...3)
        var gateway = fixture.gateway
        gateway.maximumAge = .forever
        _ = try await Self.sync(gateway).run()
        fixture.clock.advance(by: .seconds(1))
        #expect(try await Self.sync(gateway).run().1.requests == 0)
        #expect(try await Self.sync(gateway, from: .theBeginning).run().1.requests == 6)
    }
}

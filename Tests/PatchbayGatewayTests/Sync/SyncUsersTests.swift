import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Syncing all users")
struct SyncUsersTests {
    private let limit = PatchbayError(.rateLimited, "the limit is used up; it resets at noon")

    @Test("an empty storage is filled page by page, each page saved before the next is asked for")
    func first() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        var rows: [Int64] = []
        var end: SyncEnd?
        for await event in gateway.syncUsers() {
            switch event {
            case .saved(let progress):
                rows.append(progress.rows)
                #expect(try await fixture.stored(StoredUser.self).count == Int(progress.rows))
                #expect(progress.requests == fixture.users.requests.count)
            case .ended(let how, _): end = how
            case .skipped: Issue.record("a list skips nothing")
            }
        }
        #expect(rows == [20, 40, 50])
        #expect(end?.word == "complete")
        #expect(fixture.users.requests == ["users after 0", "users next 20", "users next 40"])
    }

    @Test("the last event says how it ended, and there is no other behind it")
    func events() async throws {
        let sync = try await SyncFixture().gateway().syncUsers()
        let events = await sync.all
        #expect(events.count == 4)
        guard case .ended(.complete, let progress) = events.last else {
            return #expect(Bool(false), "no end")
        }
        #expect(progress.list == "users" && progress.next == nil && progress.pages == 3)
    }

    @Test("a caller that stops asking stops the sync, and the next one goes on behind it")
    func resumed() async throws {
        let fixture = SyncFixture()
        for await _ in try await fixture.gateway().syncUsers() { break }
        #expect(fixture.users.requests == ["users after 0"])
        let gateway = try await fixture.gateway()
        let plan = try await gateway.syncUsers().plan()
        #expect(plan.pagesDone == 1 && plan.requestsMin == 1 && plan.requestsMax == nil)
        let (end, progress) = await gateway.syncUsers().run()
        #expect(end.word == "complete")
        #expect(progress.requests == 2 && progress.pages == 3 && progress.rows == 30)
        #expect(fixture.users.requests == ["users after 0", "users next 20", "users next 40"])
    }

    @Test(
        "an imported cursor with numbers that nothing counts to is passed over",
        arguments: ["position", "pages", "row_count"], [Int64.min, .max])
    func impossibleCursor(_ field: String, _ value: Int64) async throws {
        let fixture = SyncFixture()
        for await _ in try await fixture.gateway().syncUsers() { break }
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
        let plan = try await gateway.syncUsers().plan()
        #expect(plan.pagesDone == 0 && plan.requestsMin == 1)
        let (end, progress) = await gateway.syncUsers().run()
        #expect(end.word == "complete")
        #expect(progress.pages == 3 && progress.rows == 50)
    }

    @Test("no more requests are sent than were allowed", arguments: [1, 2, 3, 4])
    func maximumRequests(_ maximum: Int) async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        let (end, progress) = await gateway.syncUsers(maximumRequests: maximum).run()
        #expect(end.word == (maximum < 3 ? "limit reached" : "complete"))
        #expect(progress.requests == min(maximum, 3))
        let (last, _) = await gateway.syncUsers().run()
        #expect(last.word == "complete")
        #expect(try await fixture.stored(StoredUser.self).count == 50)
        #expect(fixture.users.requests.count == (maximum < 3 ? 3 : 6))
    }

    @Test("a rate limit in the middle leaves what was saved and says when to come back")
    func rateLimited() async throws {
        let fixture = SyncFixture()
        fixture.users.fail(with: limit, afterAnswers: 2)
        let (end, progress) = try await fixture.gateway().syncUsers().run()
        guard case .failed(let error) = end else { return #expect(Bool(false), "\(end)") }
        #expect(error.code == .rateLimited && error.message == limit.message)
        #expect(progress.rows == 40)
        #expect(try await fixture.stored(StoredUser.self).allSatisfy { $0.goneAt == nil })
        fixture.users.fail(with: nil)
        let (second, _) = try await fixture.gateway().syncUsers().run()
        #expect(second.word == "complete")
        #expect(fixture.users.requests.suffix(2) == ["users next 40", "users next 40"])
    }

    @Test("semantics-13: a second complete run asks conditionally only, and writes no user")
    func secondRun() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        _ = await gateway.syncUsers().run()
        let before = try await fixture.stored(StoredUser.self)
        fixture.clock.advance(by: .seconds(60))
        let plan = try await gateway.syncUsers().plan()
        #expect(plan.requestsMin == 3 && plan.requestsMax == 3 && plan.conditional == 3)
        let (end, progress) = await gateway.syncUsers().run()
        #expect(end.word == "complete" && progress.unchanged == 3 && progress.rows == 50)
        #expect(fixture.users.requests.suffix(3).allSatisfy { $0.hasSuffix(" if changed") })
        #expect(try await fixture.stored(StoredUser.self) == before)
    }

    @Test("semantics-17: a full last page is asked for unconditionally, so that newcomers are found")
    func fullLastPage() async throws {
        let fixture = SyncFixture(users: 1...40)
        let gateway = try await fixture.gateway()
        _ = await gateway.syncUsers().run()
        #expect(try await gateway.syncUsers().plan().conditional == 1)
        _ = await gateway.syncUsers().run()
        #expect(fixture.users.requests.suffix(2) == ["users after 0 if changed", "users next 20"])
    }

    @Test("edited names and details survive; who is not listed any more is marked, not removed")
    func kept() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        _ = await gateway.showUser("user-3").all
        try await gateway.store.write { writing in
            var stored = try writing.reading.get(StoredUser.self, 3)!
            stored.user.nameOverride = "Edited"
            try writing.put(stored)
        }
        _ = await gateway.syncUsers().run()
        fixture.users.change { $0.removeAll { $0.id == 7 } }
        _ = await gateway.syncUsers().run()
        let users = try await fixture.stored(StoredUser.self)
        #expect(users.count == 50)
        #expect(users[2].user.name == "Edited" && users[2].user.detail?.name == "User 3")
        #expect(users.filter { $0.goneAt != nil }.map(\.user.id) == [7])
    }

    @Test("a cursor is of use to the same source only")
    func boundToQuery() async throws {
        let fixture = SyncFixture()
        for await _ in try await fixture.gateway().syncUsers() { break }
        for await _ in try await fixture.gateway(identity: "another").syncUsers() { break }
        #expect(fixture.users.requests == ["users after 0", "users after 0 if changed"])
    }

    @Test("a sync may be told to begin anew")
    func anew() async throws {
        let fixture = SyncFixture()
        for await _ in try await fixture.gateway().syncUsers() { break }
        let sync = try await fixture.gateway().syncUsers(from: .theBeginning)
        #expect(try await sync.plan().pagesDone == 0)
        _ = await sync.run()
        #expect(fixture.users.requests.dropFirst().first == "users after 0 if changed")
    }

    @Test("two syncs of one list do not overwrite each other's cursor")
    func twoAtOnce() async throws {
        let fixture = SyncFixture()
        var first = try await fixture.gateway().syncUsers().makeAsyncIterator()
        var second = try await fixture.gateway().syncUsers(from: .theBeginning).makeAsyncIterator()
        _ = await first.next()
        fixture.clock.advance(by: .seconds(1))
        _ = await second.next()
        guard case .ended(.failed(let error), _)? = await first.next() else {
            return #expect(Bool(false), "both go on")
        }
        #expect(error.code == .busy)
    }

    @Test("what is left to do and what may be spent are told before anything is asked")
    func plan() async throws {
        let fixture = SyncFixture()
        let sync = try await fixture.gateway(budget: RequestBudget(remaining: 0)).syncUsers()
        let plan = try await sync.plan()
        #expect(plan.requestsMin == 1 && plan.requestsMax == nil && plan.fitsBudget == false)
        #expect(fixture.users.requests.isEmpty)
        let limited = try await fixture.gateway().syncUsers(maximumRequests: 2).plan()
        #expect(limited.requestsMax == 2 && limited.fitsBudget == nil)
    }

    @Test("a source without users is an error")
    func unsupported() async throws {
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "empty"), now: { Timestamp(milliseconds: 0) })
        let (end, _) = await gateway.syncUsers().run()
        #expect(end.word == "failed: unsupported")
        let details = await gateway.syncUserDetails().all
        #expect(details.count == 1)
    }
}

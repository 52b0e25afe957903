import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Syncing the details of rows")
struct SyncDetailsTests {
    private func hasDetail(_ item: Item) -> Bool {
        item.text("name") != nil && item.state.detailFetchedAt != nil
    }

    @Test("the list is fetched first, then the missing details, none of them twice")
    func listAndDetails() async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway
        try await fixture.show("user-3")
        let (end, progress) = try await gateway.syncPeople(details: true, concurrency: 4).run()
        #expect(end.word == "complete")
        #expect(progress.requests == 3 + 49)
        #expect(try await fixture.stored().allSatisfy(hasDetail))
        #expect(Set(fixture.requests).count == 53)
        let (again, second) = try await gateway.syncPeople(details: true).run()
        #expect(again.word == "complete" && second.requests == 3 && second.unchanged == 3)
    }

    @Test(
        "after an interruption among the details it continues with the missing ones",
        arguments: [3, 4, 17, 51])
    func limited(_ maximum: Int) async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway
        let (end, progress) = try await gateway.syncPeople(details: true, maximumRequests: maximum).run()
        #expect(end.word == "limit reached" && progress.requests == maximum)
        let plan = try await gateway.syncPeople(details: true).plan()
        #expect(plan.requestsMax == 3 + 50 - (maximum - 3))
        _ = try await gateway.syncPeople(details: true).run()
        #expect(try await fixture.stored().allSatisfy(hasDetail))
        #expect(fixture.requests.filter { $0.hasPrefix("person ") }.count == 50)
    }

    @Test("for a list of part of the rows, only details of its rows are requested")
    func part() async throws {
        let fixture = try await ResourceFixture(projects: 1...25)
        let gateway = fixture.gateway
        var other = ScriptedFeed.projects(90...90)
        (other[0]["owner_id"], other[0]["owner"]) = (.integer(2), .text("hubot"))
        try await gateway.put(other, in: "projects")
        let sync = gateway.sync(try gateway.projects(), details: true, concurrency: 3)
        #expect(await sync.run().1.requests == 2 + 25)
        let lacking = try await fixture.stored("projects").filter { $0.state.detailFetchedAt == nil }
        #expect(lacking.map(\.id) == [90])
    }

    @Test("a row whose detail is not found is skipped once, with the reason, and stays in the list")
    func missing() async throws {
        let fixture = try await ResourceFixture(people: 1...12) { DenyingFeed($0, ["user-9"]) }
        let gateway = fixture.gateway
        let skips = try await gateway.syncPeople(details: true).all.compactMap { event in
            if case .skipped(let what, let error) = event { "\(what): \(error.code)" } else { nil }
        }
        #expect(skips == ["person user-9: not found"])
        let nine = try await fixture.stored()[8]
        #expect(nine.state.refusal?.refusal.kind == .missing && nine.state.goneAt == nil && !hasDetail(nine))
        #expect(try await gateway.listPeople(policy: .localOnly).ending.value?.items.count == 12)
        let (end, progress) = try await gateway.syncPeople(details: true).run()
        #expect(end.word == "complete" && progress.skipped == 0 && progress.requests == 1)
    }

    @Test("of rows that share a handle, those that the source does not return are named")
    func sharedHandle() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        fixture.feed.change("people") { $0[2]["login"] = .text("user-1") }
        let skips = try await fixture.gateway.syncPeople(details: true).all.compactMap { event in
            if case .skipped(let what, let error) = event { "\(what): \(error.message)" } else { nil }
        }
        let words = "the source returned the person \"1\", which has the same handle, in place of \"3\""
        #expect(skips == ["person user-1: " + words])
        #expect(try await fixture.stored().filter(hasDetail).map(\.id) == [1, 2])
    }

    @Test("a row for which the server fails is requested again by the next sync, and the others are fetched")
    func failing() async throws {
        let error = PatchbayError(.offline, "the server could not answer", [.status(500)])
        let fixture = try await ResourceFixture(people: 1...12) { DenyingFeed($0, ["user-3"], error) }
        for requests in [1 + 12, 1 + 1] {
            let (end, progress) = try await fixture.gateway().syncPeople(details: true).run()
            #expect(end.word == "failed: offline" && progress.requests == requests && progress.skipped == 1)
        }
        #expect(try await fixture.stored().filter { !hasDetail($0) }.map(\.id) == [3])
    }

    @Test(
        "a server that does not support requests for rows ends the sync, and what a recording lacks does not")
    func unsupportedRows() async throws {
        for (details, end) in [([PatchbayError.Detail.status(501)], "failed: unsupported"), ([], "complete")]
        {
            let fixture = try await ResourceFixture(people: 1...25)
            fixture.feed.answers.fail(
                with: PatchbayError(.unsupported, "it failed", details), afterAnswers: 2)
            let (ending, _) = try await fixture.gateway.syncPeople(details: true).run()
            #expect(ending.word == end)
        }
    }

    @Test("a refusal is stored with its reason, and the row stays in lists")
    func refused() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        let gateway = fixture.gateway
        _ = try await gateway.syncPeople().run()
        let blocked = Refusal(.blocked, reason: "dmca")
        fixture.feed.answers.fail(
            with: PatchbayError(.permissionDenied, "barred", cause: blocked), afterAnswers: 1)
        let (end, progress) = try await gateway.syncPeople(details: true, concurrency: 1).run()
        #expect(end.word == "complete" && progress.skipped == 3)
        let states = try await fixture.stored().map(\.state)
        #expect(states.allSatisfy { $0.refusal?.refusal == blocked && $0.goneAt == nil })
        #expect(try await gateway.listPeople(policy: .localOnly).ending.value?.items.count == 3)
    }

    @Test(
        "a rate limit, lost credentials or a lost connection ends the sync and marks no row",
        arguments: [PatchbayError.Code.rateLimited, .unauthorized, .offline])
    func ended(_ code: PatchbayError.Code) async throws {
        let fixture = try await ResourceFixture()
        fixture.feed.answers.fail(with: PatchbayError(code, "not now"), afterAnswers: 8)
        let (end, _) = try await fixture.gateway.syncPeople(details: true, concurrency: 1).run()
        #expect(end.word == "failed: \(code)")
        #expect(fixture.requests.count == 9)
        let people = try await fixture.stored()
        #expect(people.filter(hasDetail).count == 5)
        #expect(people.allSatisfy { $0.state.goneAt == nil && $0.state.refusal == nil })
    }

    @Test("twenty consecutive useless answers end the sync")
    func useless() async throws {
        let fixture = try await ResourceFixture()
        fixture.feed.answers.fail(with: PatchbayError(.invalidResponse, "a web page"), afterAnswers: 3)
        let (end, progress) = try await fixture.gateway.syncPeople(details: true, concurrency: 5).run()
        #expect(end.word == "failed: invalid response")
        #expect(progress.skipped == 20)
    }

    @Test("rows without their own addresses have no details")
    func unsupported() async throws {
        let gateway = try await ResourceFixture().gateway
        let sync = gateway.sync(try gateway.changes(of: "octocat/p-7"), details: true)
        #expect(await sync.run().0.word == "failed: unsupported")
    }
}

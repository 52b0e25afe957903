import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A window over a linked list")
struct LinkedWindowTests {
    private func ids(_ state: WindowState<ListedItem, ListPosition>) -> [Int64] { state.items.map(\.item.id) }

    private func window(
        _ fixture: ResourceFixture, size: Int, maximum: Int? = nil, wraps: Bool = false,
        isOffline: Bool = false
    ) throws -> Window<ListedItem, ListPosition> {
        try fixture.gateway.window(
            fixture.gateway.projects(), size: size, maximum: maximum, wraps: wraps, isOffline: isOffline)
    }

    @Test("it moves forward through the source's pages and backward through stored rows")
    func downAndUp() async throws {
        let fixture = try await ResourceFixture()
        let window = try window(fixture, size: 15)
        var state = await window.jump(to: .start)
        #expect(ids(state) == Array(1...15) && !state.hasEarlier && state.hasLater)
        #expect(fixture.requests == ["projects of octocat"])
        state = await window.next(10)
        #expect(ids(state) == Array(6...20))
        #expect(state.start == ListPosition(0, place: 5) && state.end == ListPosition(0, place: 19))
        state = await window.next(10)
        #expect(ids(state) == Array(16...30))
        #expect(fixture.requests == ["projects of octocat", "projects of octocat page 2"])
        while state.hasLater { state = await window.next() }
        #expect(ids(state) == Array(36...50) && state.list == .endOfSource)
        #expect(fixture.requests.count == 3)
        for _ in 0..<10 { state = await window.previous(7) }
        #expect(ids(state) == Array(1...15) && !state.hasEarlier)
        #expect(fixture.requests.count == 3)
    }

    @Test("reaching the greatest number of items is reported, and nothing is requested beyond it")
    func limit() async throws {
        let fixture = try await ResourceFixture()
        let window = try window(fixture, size: 30, maximum: 30)
        await window.jump(to: .start)
        var state = await window.next()
        #expect(ids(state) == Array(1...30) && state.list == .limitReached(30) && !state.hasLater)
        state = await window.next()
        #expect(ids(state) == Array(1...30) && fixture.requests.count == 2)
    }

    @Test("offline it shows stored rows, and can jump to fractions and to their end")
    func offline() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.gateway.syncProjects(maximumRequests: 2).run()
        let window = try window(fixture, size: 10, isOffline: true)
        #expect(ids(await window.jump(to: .start)) == Array(1...10))
        #expect(ids(await window.jump(toFraction: 0.5)) == Array(21...30))
        #expect(ids(await window.jump(toFraction: 0)) == Array(1...10))
        #expect(ids(await window.jump(toFraction: 1)) == Array(31...40))
        let state = await window.jumpToEnd()
        #expect(ids(state) == Array(31...40) && !state.hasLater && state.list == .more)
        #expect(fixture.requests.count == 2)
    }

    @Test("a completely stored list wraps around")
    func wraps() async throws {
        let fixture = try await ResourceFixture(projects: 1...25)
        _ = try await fixture.gateway.syncProjects().run()
        let window = try window(fixture, size: 10, wraps: true)
        #expect(ids(await window.jump(to: .at(ListPosition(1, place: 3)))) == [24, 25] + Array(1...8))
        #expect(ids(await window.next(3)) == Array(2...11))
        #expect(ids(await window.previous(3)) == [24, 25] + Array(1...8))
    }

    @Test("a failure is part of the state, and the next step tries again")
    func failure() async throws {
        let fixture = try await ResourceFixture()
        let window = try window(fixture, size: 30)
        await window.jump(to: .start)
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        var state = await window.next(10)
        #expect(ids(state) == Array(1...20) && state.error?.code == .offline)
        fixture.feed.answers.fail(with: nil)
        state = await window.next(10)
        #expect(ids(state) == Array(1...30) && state.error == nil)
    }

    @Test("rows that are no longer listed are skipped")
    func gone() async throws {
        let fixture = try await ResourceFixture(pageSize: 5)
        let window = try window(fixture, size: 4)
        await window.jump(to: .start)
        try await fixture.gateway.put(ScriptedFeed.projects(2...4), in: "projects") {
            $0.markGone(at: Timestamp(milliseconds: 0))
        }
        #expect(ids(await window.jump(to: .start)) == [1, 5])
        #expect(ids(await window.next()) == [6, 7, 8, 9])
        #expect(ids(await window.previous()) == [1, 5, 6, 7])
        #expect(fixture.requests.count == 2)
    }

    @Test("a row that moves to the next page while the list is fetched is shown once")
    func moved() async throws {
        let fixture = try await ResourceFixture(projects: 1...30)
        let window = try window(fixture, size: 30)
        await window.jump(to: .start)
        fixture.feed.change("projects") { $0.insert(ScriptedFeed.projects(99...99)[0], at: 0) }
        let state = await window.next()
        #expect(ids(state) == Array(1...30))
    }

    @Test("the project of a list of changes is fetched first when it is not stored")
    func parent() async throws {
        let fixture = try await ResourceFixture(changes: ScriptedFeed.changes(30, of: 7))
        let gateway = fixture.gateway
        let window = gateway.window(try gateway.changes(of: "octocat/p-7"), size: 10)
        let state = await window.jump(to: .start)
        #expect(state.items.first?.item.text("message") == "change 30" && state.items.count == 10)
        #expect(fixture.requests == ["project octocat/p-7", "changes of octocat/p-7"])
    }

    @Test(
        "a page that does not link to the stored one after it leaves a gap, which is fetched when reached"
    )
    func gap() async throws {
        let fixture = try await ResourceFixture(changes: ScriptedFeed.changes(50, of: 7))
        let gateway = fixture.gateway, question = try gateway.changes(of: "octocat/p-7")
        _ = await gateway.list(question, limit: 60).ending
        var page = try #require(await fixture.stored(StoredListPage.self).first { $0.position == 1 })
        page.link = "elsewhere"
        try await gateway.store.write { [page] in try $0.put(page) }
        let offline = await gateway.window(question, size: 60, isOffline: true).jump(to: .start)
        #expect(offline.items.count == 50 && offline.gaps == [ListPosition(1)])
        let window = gateway.window(question, size: 30)
        #expect(await window.jump(to: .start).items.count == 20)
        let state = await window.next(10)
        #expect(state.items.count == 30 && state.gaps.isEmpty)
        #expect(fixture.requests.last == "changes of octocat/p-7 page 2")
    }

    @Test("a deleted row is replaced by the next one", .timeLimit(.minutes(5)))
    func deleted() async throws {
        let fixture = try await ResourceFixture()
        let window = try window(fixture, size: 5)
        await window.jump(to: .start)
        var states = await window.states().makeAsyncIterator()
        #expect(await states.next().map(ids) == [1, 2, 3, 4, 5])
        try await fixture.gateway.delete(2, of: "projects")
        while let state = await states.next(), ids(state) != [1, 3, 4, 5, 6] {}
        #expect(ids(await window.state) == [1, 3, 4, 5, 6])
    }
}

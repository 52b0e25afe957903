import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Rows that a complete list lacks")
struct AbsenceTests {
    private static let project = "octocat/p-1"

    /// The changes of a project in three pages, all stored. Their rows have no addresses of their own.
    private func fixture(count: Int = 50, synced: Bool = true) async throws -> ResourceFixture {
        let fixture = try await ResourceFixture(changes: ScriptedFeed.changes(count, of: 1))
        _ = try await fixture.gateway.syncProjects().run()
        if synced { _ = try await sync(fixture) }
        return fixture
    }

    @discardableResult
    private func sync(_ fixture: ResourceFixture, maximumRequests: Int? = nil) async throws -> RowChanges {
        fixture.clock.advance(by: .seconds(3_600))
        let gateway = try await fixture.gateway()
        let sync = try gateway.sync(
            gateway.changes(of: Self.project), maximumRequests: maximumRequests)
        return await sync.run().1.changes
    }

    private func messages(_ items: [Item]) -> [String] { items.compactMap { $0.text("message") } }

    private func marked(_ fixture: ResourceFixture) async throws -> (missing: [String], gone: [String]) {
        let stored = try await fixture.stored("changes")
        return (
            messages(stored.filter { $0.state.missingSince != nil && $0.state.goneAt == nil }),
            messages(stored.filter { $0.state.goneAt != nil })
        )
    }

    private func remove(_ message: String, _ fixture: ResourceFixture) {
        fixture.feed.change("changes") { $0.removeAll { $0["message"] == .text(message) } }
    }

    @Test("are missing at first, and gone when the next complete list lacks them as well")
    func twice() async throws {
        let fixture = try await fixture()
        remove("change 30", fixture)
        let first = try await sync(fixture)
        #expect(first.missing == 1 && first.gone == 0)
        #expect(try await marked(fixture) == (["change 30"], []))
        let listed = try await fixture.gateway.list(
            fixture.gateway.changes(of: Self.project), limit: 100, policy: .localOnly
        ).ending.value
        #expect(listed?.items.count == 50 && listed.map { messages($0.items).last } == "change 30")
        let second = try await sync(fixture)
        #expect(second.missing == 0 && second.gone == 1)
        #expect(try await marked(fixture) == ([], ["change 30"]))
        let rest = try await fixture.gateway.list(
            fixture.gateway.changes(of: Self.project), limit: 100, policy: .localOnly
        ).ending.value
        #expect(rest?.items.count == 49)
    }

    @Test("are not gone when the list between contains them")
    func between() async throws {
        let fixture = try await fixture(), all = ScriptedFeed.changes(50, of: 1)
        for _ in 0..<2 {
            remove("change 30", fixture)
            #expect(try await sync(fixture).gone == 0)
            fixture.feed.change("changes") { $0 = all }
            #expect(try await sync(fixture).gone == 0)
            #expect(try await marked(fixture) == ([], []))
        }
    }

    @Test("on its only page are gone at once, unless that page is empty or only confirmed")
    func onePage() async throws {
        let fixture = try await fixture(count: 5), all = ScriptedFeed.changes(5, of: 1)
        remove("change 3", fixture)
        #expect(try await sync(fixture).gone == 1)
        #expect(try await marked(fixture) == ([], ["change 3"]))
        fixture.feed.change("changes") { $0 = all }
        try await sync(fixture)
        fixture.feed.change("changes") { $0 = [] }
        let emptied = try await sync(fixture)
        #expect(emptied.missing == 5 && emptied.gone == 0)
        fixture.feed.change("changes") { $0 = all }
        try await sync(fixture)
        // A row that is stored while the source confirms an older page.
        try await fixture.gateway.put(
            [["project": .integer(1), "sha": .text("f"), "message": .text("new")]], in: "changes")
        let confirmed = try await sync(fixture)
        #expect(confirmed.missing == 1 && confirmed.gone == 0)
    }

    @Test("a row twice on the only page does not hide that another is gone")
    func repeatedOnOnePage() async throws {
        let fixture = try await fixture(count: 5)
        remove("change 3", fixture)
        fixture.feed.change("changes") { $0.insert($0[0], at: 1) }
        #expect(try await sync(fixture).gone == 1)
        #expect(try await sync(fixture).gone == 0)
        #expect(try await marked(fixture) == ([], ["change 3"]))
    }

    @Test("a list that contains a row twice shows no absence, and says so when it always does")
    func repeated() async throws {
        let fixture = try await fixture()
        remove("change 30", fixture)
        fixture.feed.change("changes") { $0.insert($0[5], at: 21) }
        for round in 1...3 {
            fixture.clock.advance(by: .seconds(3_600))
            let gateway = try await fixture.gateway()
            var notes: [String] = []
            for await event in try gateway.sync(gateway.changes(of: Self.project)) {
                if case .noted(_, let note) = event { notes.append(note) }
            }
            #expect(
                notes.count == (round == 1 ? 0 : 1) && notes.allSatisfy { $0.hasPrefix("1 row came twice") })
        }
        #expect(try await marked(fixture) == ([], []))
    }

    @Test("the row's own address decides at once, 20 of them in a run")
    func address() async throws {
        let fixture = try await ResourceFixture(projects: 1...60)
        _ = try await fixture.gateway.syncProjects().run()
        fixture.feed.change("projects") { rows in
            rows.removeAll { (11...40).contains($0.id) }
        }
        for (asked, gone) in [(20, 20), (0, 30)] {
            fixture.clock.advance(by: .seconds(3_600))
            let before = fixture.requests.count
            _ = try await fixture.gateway().syncProjects().run()
            let requests = fixture.requests.dropFirst(before)
            #expect(requests.count { $0.hasPrefix("project octocat/") } == asked)
            let marked = try await fixture.stored("projects").filter { $0.state.goneAt != nil }
            #expect(marked.count == gone)
        }
    }

    @Test(
        "an interrupted list asks its last page again, and starts over if its rows have moved",
        arguments: [1, 2])
    func resumed(_ pages: Int) async throws {
        let fixture = try await fixture(synced: false)
        try await sync(fixture, maximumRequests: pages)
        let before = fixture.requests.count
        remove("change 50", fixture)
        try await sync(fixture)
        #expect(try await marked(fixture) == (["change 50"], []))
        let requests = Array(fixture.requests.dropFirst(before))
        #expect(requests.count == 4, "\(requests)")
        let listed = try await fixture.gateway.list(
            fixture.gateway.changes(of: Self.project), limit: 100, policy: .localOnly
        ).ending.value
        #expect(listed?.items.count == 50 && listed.map { messages($0.items).last } == "change 50")
    }

    @Test("an interrupted list whose last page is unchanged continues")
    func unmoved() async throws {
        let fixture = try await fixture(synced: false)
        try await sync(fixture, maximumRequests: 2)
        let before = fixture.requests.count
        try await sync(fixture)
        let requests = Array(fixture.requests.dropFirst(before))
        #expect(requests.count == 2 && requests[0].hasSuffix("page 2 if changed"), "\(requests)")
    }
}

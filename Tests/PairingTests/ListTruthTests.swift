import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// Lists over every storage after the source's list has changed or an answer was lost.
@Suite("Lists reflect the source over every storage", .timeLimit(.minutes(5)))
struct ListTruthTests {
    private let folder: StorageFolder
    private let clock = ManualClock()
    private let feed = ScriptedFeed(people: 1...59, projects: 1...5)

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String, _ source: Source? = nil) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store"), source: source ?? feed.source(),
            clock: clock.layerClock)
    }

    private func ids(_ gateway: Gateway, _ policy: Policy) async throws -> [Int64] {
        try await gateway.listPeople(limit: 100, policy: policy).ending.value?.ids ?? []
    }

    private func projects(_ gateway: Gateway, _ policy: Policy) async throws -> [Int64] {
        try await gateway.listProjects(policy: policy).ending.value?.ids ?? []
    }

    @Test(
        "rows after the end of a list that has become shorter are no longer listed",
        arguments: StorageFolder.all)
    func shorter(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        for isSync in [false, true] {
            feed.change("people") { $0 = ScriptedFeed.people(1...59) }
            #expect(try await ids(gateway, .refresh) == Array(1...59))
            for count in [39, 3, 1, 0] as [Int64] {
                feed.change("people") { $0.removeAll { $0.id > count } }
                if isSync {
                    let sync = gateway.sync(try gateway.people(), from: .theBeginning)
                    guard case (.complete, _) = await sync.run() else {
                        Issue.record("the sync did not end")
                        return
                    }
                } else {
                    #expect(try await ids(gateway, .localFirst) == Array(1..<count + 1))
                }
                #expect(try await ids(gateway, .localOnly) == Array(1..<count + 1), "\(count), \(isSync)")
                let state = try await gateway.listPeople(limit: 100, policy: .localOnly).ending.state
                #expect(state == .endOfSource, "\(count), sync: \(isSync)")
            }
        }
        try await gateway.close()
    }

    @Test("an answer without the end of the list marks no row as gone", arguments: StorageFolder.all)
    func interrupted(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        _ = try await ids(gateway, .localFirst)
        feed.change("people") { $0.removeAll { $0.id > 10 && $0.id < 50 } }
        feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(try await ids(gateway, .refresh).count == 59)
        feed.answers.fail(with: nil)
        // A page with a next page covers only its own rows.
        feed.change("people") { $0 = ScriptedFeed.people(1...5) + ScriptedFeed.people(30...59) }
        _ = try await gateway.listPeople(limit: 5, policy: .refresh).ending
        #expect(try await ids(gateway, .localOnly) == Array(1...5) + Array(30...59))
        try await gateway.close()
    }

    @Test(
        "rows of a linked list that has become shorter or empty are no longer listed",
        arguments: StorageFolder.all)
    func shorterLinked(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(try await projects(gateway, .localFirst) == Array(1...5))
        for count in [3, 1, 0] as [Int64] {
            feed.change("projects") { $0.removeAll { $0.id > count } }
            if count == 1 { _ = await gateway.sync(try gateway.octocatsProjects()).run() }
            // A row is no longer listed once two lists lack it.
            _ = try await projects(gateway, .localFirst)
            #expect(try await projects(gateway, .localFirst) == Array(1..<count + 1))
            let gone = try await gateway.stored("projects").filter { $0.state.goneAt != nil }
            #expect(gone.map(\.id) == Array(count + 1...5))
        }
        try await gateway.close()
    }

    @Test(
        "a 404 of a row's own address does not remove it from a list that contains it",
        arguments: StorageFolder.all)
    func missing(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(try await ids(gateway, .localFirst).count == 59)
        #expect(try await projects(gateway, .localFirst).count == 5)
        feed.answers.fail(with: PatchbayError(.notFound, "there is none, or it is hidden"))
        let person = try await gateway.showPerson("user-7").ending
        let project = try await gateway.showProject("octocat/p-2").ending
        #expect(person.value?.state.refusal?.refusal.kind == .missing)
        #expect(project.value?.state.refusal?.refusal.kind == .missing)
        feed.answers.fail(with: nil)
        for policy in [Policy.localOnly, .localFirst, .localOnly, .refresh] {
            #expect(try await ids(gateway, policy) == Array(1...59), "\(policy)")
            #expect(try await projects(gateway, policy) == Array(1...5), "\(policy)")
        }
        let shown = try await gateway.showPerson("user-7", policy: .localOnly).ending.value
        #expect(shown?.state.refusal == nil, "a list that returns the row again clears its refusal")
        try await gateway.close()
    }

    @Test("an unchanged list shows its rows again, even those marked as gone", arguments: StorageFolder.all)
    func confirmed(_ plugin: String) async throws {
        var declarations = ScriptedFeed.declarations
        declarations[1].search = declarations[0].search
        let gateway = try await gateway(plugin, feed.source(declarations))
        func find(
            _ name: String, _ text: String, _ policy: Policy = .localFirst
        ) async throws -> Answer<SearchWindow<Item>> {
            try await gateway.search(gateway.resource(name), text, policy: policy).ending
        }
        #expect(try await find("projects", "p-").value?.items.count == 5)
        #expect(try await find("people", "user-5").value?.items.count == 11)
        try await gateway.markGone(51, of: "people", at: clock.now())
        try await gateway.markGone(3, of: "projects", at: clock.now())
        #expect(try await find("projects", "p-", .localOnly).value?.items.count == 4)
        let projects = try await find("projects", "p-"), people = try await find("people", "user-5")
        #expect(projects.value?.items.count == 5 && people.value?.items.count == 11)
        guard case .unchanged = projects.outcome, case .unchanged = people.outcome else {
            Issue.record("\(projects.outcome), \(people.outcome)")
            return
        }
        #expect(try await find("people", "user-5", .localOnly).value?.items.count == 11)
        try await gateway.close()
    }

    @Test(
        "a stretch is as long as requested even if a row in it is no longer listed",
        arguments: StorageFolder.all)
    func goneInside(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(try await projects(gateway, .localFirst).count == 5)
        try await gateway.markGone(2, of: "projects", at: clock.now())
        var seen: [[Int64]] = []
        for skipped in [0, 3] {
            let answers = try gateway.listProjects(skipping: skipped, limit: 3, policy: .localOnly)
            let list = try #require(await answers.ending.value)
            seen.append(list.ids)
            #expect(list.hasMore == (skipped == 0) && !list.isPartial)
        }
        #expect(seen == [[1, 3, 4], [5]])
        try await gateway.close()
    }

    @Test(
        "a stretch that was never fetched between stored rows is reported as a gap",
        arguments: StorageFolder.all)
    func gaps(_ plugin: String) async throws {
        feed.change("people") { $0 = ScriptedFeed.people(1...200) }
        let gateway = try await gateway(plugin)
        for after in [0, 20, 99] as [Int64] {
            _ = try await gateway.listPeople(after: after, limit: 5).ending
        }
        _ = try await gateway.showPerson("user-150").ending
        func gaps(_ after: Int64, _ limit: Int, _ policy: Policy = .localOnly) async throws -> [ListGap]? {
            try await gateway.listPeople(after: after, limit: limit, policy: policy).ending.value?.gaps
        }
        let first = ListGap(after: 40, before: 100), second = ListGap(after: 119, before: 150)
        #expect(try await gaps(0, 100) == [first, second])
        #expect(first.description == "41 to 99 were never fetched")
        #expect(try await gaps(0, 40) == [])
        #expect(try await gaps(30, 20) == [first])
        #expect(try await gaps(40, 20) == [first])
        #expect(try await gaps(45, 20) == [ListGap(after: 45, before: 100)])
        #expect(try await gaps(99, 21) == [second])
        feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(try await gaps(30, 20, .localFirst) == [first])
        let window = gateway.window(try gateway.people(), size: 100, isOffline: true)
        #expect(await window.jump(to: .start).gaps == [ListPosition(100), ListPosition(150)])
        feed.answers.fail(with: nil)
        #expect(try await gaps(30, 40, .localFirst) == [])
        #expect(await window.jump(to: .start).gaps == [ListPosition(100)])
        try await gateway.close()
    }

    @Test("ten pages of a search need one request to the source", arguments: StorageFolder.all)
    func searchPages(_ plugin: String) async throws {
        let feed = ScriptedFeed(people: 1...250, pageSize: 100)
        let gateway = try await gateway(plugin, feed.source())
        func page(
            _ number: Int, _ policy: Policy = .localFirst
        ) async throws -> Answer<SearchWindow<Item>> {
            try await gateway.search(gateway.people, "user-", page: number, limit: 10, policy: policy).ending
        }
        for number in 1...10 {
            clock.advance(by: .seconds(10))
            let answer = try await page(number)
            let start = Int64(number - 1) * 10
            #expect(answer.value?.items.map(\.id) == Array(start + 1...start + 10))
            #expect(answer.age == (number == 1 ? .zero : .seconds(number * 10 - 10)))
            #expect(answer.value?.isContinued == (number > 1) && answer.value?.hasMore == true)
            guard case .found = answer.searchOutcome() else {
                Issue.record("\(number)")
                return
            }
        }
        #expect(feed.requests == ["people with user-"])
        for number in 11...25 { _ = try await page(number) }
        #expect(feed.requests.count == 3 && feed.requests.last == "people with user- page 3")
        let after = try await page(26)
        guard case .noMore = after.searchOutcome() else {
            Issue.record("\(after)")
            return
        }
        #expect(feed.requests.count == 3)
        _ = try await page(2, .refresh)
        #expect(feed.requests.count == 4)
        clock.advance(by: .seconds(600))
        #expect(try await page(3).value?.isContinued == false)
        #expect(feed.requests.count == 5)
        try await gateway.close()
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Syncing everything")
struct SyncAllTests {
    @Test("lists without arguments come first, then those of their rows, with one ending")
    func order() async throws {
        let fixture = try await ResourceFixture(
            people: 1...3, projects: 1...2, changes: ScriptedFeed.changes(1, of: 1),
            changing: { source in
                source.resources = source.resources.map { resource in
                    var resource = resource
                    if resource.name == "projects" { resource.lists.removeFirst() }
                    if resource.name == "projects" { resource.lists[0].name = nil }
                    return resource
                }.reversed()
            })
        let (end, progress) = await fixture.gateway.syncAll().run()
        #expect(end.word == "complete" && progress.changes.added == 6)
        #expect(
            fixture.requests.map { $0.split(separator: " ")[0] } == [
                "projects", "changes", "changes", "people",
            ])
    }

    @Test(
        "a refused or failing resource does not prevent others from being fetched; its error ends the sync",
        arguments: [
            PatchbayError(.permissionDenied, "not for you"),
            PatchbayError(.offline, "defect", [.status(500)]),
        ])
    func failing(_ error: PatchbayError) async throws {
        let fixture = try await ResourceFixture(
            people: 1...3,
            changing: { source in
                source.resources = source.resources.filter { $0.name != "projects" && $0.name != "changes" }
                var hidden = source.resources[0]
                hidden.name = "secrets"
                hidden.order = nil
                hidden.lists = [ListDeclaration(nil, Template([.literal("/secrets")]))]
                hidden.search = nil
                source.resources.insert(hidden, at: 0)
                source.feed = RefusingFeed(source.feed!) { request in
                    guard request.question.resource.name == "secrets" else { return nil }
                    return error
                }
            })
        let (end, progress) = await fixture.gateway.syncAll().run()
        #expect(end.word == "failed: \(error.code)")
        #expect(progress.changes.added == 3 && progress.skipped == 1)
    }

    @Test(
        "a sync with a limit of requests reaches the last list, and no completed list is fetched twice meanwhile"
    )
    func resumed() async throws {
        let changes = (1...3).flatMap { ScriptedFeed.changes(3, of: $0) }
        let fixture = try await ResourceFixture(
            people: 1...5, projects: 1...3, changes: changes, pageSize: 2)
        try await fixture.gateway.put(ScriptedFeed.projects(1...3), in: "projects")
        let all = try await fixture.gateway.syncAll().plan().requestsMin
        var ends: [String] = [], notes = 0
        while ends.last != "complete", ends.count < 30 {
            fixture.clock.advance(by: .seconds(1))
            for await event in try await fixture.gateway().syncAll(maximumRequests: 2) {
                if case .noted = event { notes += 1 }
                if case .ended(let end, let progress) = event {
                    ends.append(end.word)
                    #expect(progress.requests <= 2)
                }
            }
        }
        #expect(ends.last == "complete" && fixture.requests.count >= all)
        // The last page of an interrupted list is requested again.
        let requests = fixture.requests.filter { !$0.hasSuffix(" if changed") }
        #expect(Set(requests).count == requests.count, "\(requests)")
        #expect(fixture.requests.count < requests.count + ends.count, "\(fixture.requests)")
        #expect(notes == ends.count - 1)
        // A complete sync is followed by one of all lists.
        fixture.clock.advance(by: .seconds(1))
        #expect(await fixture.gateway.syncAll().run().1.requests == requests.count)
    }

    @Test(
        "a failure that may return ends the round, so that the next sync requests every list; a rate limit does not",
        arguments: [(PatchbayError.Code.unauthorized, 3), (.offline, 3), (.rateLimited, 0)])
    func endedRound(_ code: PatchbayError.Code, _ peopleRequests: Int) async throws {
        let fixture = try await ResourceFixture(
            people: 1...5, projects: 1...1, changes: ScriptedFeed.changes(1, of: 1), pageSize: 2,
            around: { feed in
                RefusingFeed(feed) { request in
                    guard request.question.resource.name == "changes" else { return nil }
                    return PatchbayError(code, "not now")
                }
            })
        try await fixture.gateway.put(ScriptedFeed.projects(1...1), in: "projects")
        for expected in [3, peopleRequests] {
            let before = fixture.requests.count
            fixture.clock.advance(by: .seconds(1))
            #expect(try await fixture.gateway().syncAll().run().0.word == "failed: \(code)")
            let requests = fixture.requests.dropFirst(before).filter { $0.hasPrefix("people") }
            #expect(requests.count == expected, "\(requests)")
        }
    }

    @Test("a sync from the beginning that is interrupted continues with whole lists, and each only once")
    func restarted() async throws {
        let fixture = try await ResourceFixture(
            projects: 1...5, changes: (1...5).flatMap { ScriptedFeed.changes(3, of: $0) }, pageSize: 2,
            changing: { source in
                source.resources = source.resources.filter { $0.name != "people" }.map { resource in
                    guard resource.name == "projects" else { return resource }
                    var resource = resource
                    resource.lists.removeFirst()
                    resource.lists[0].name = nil
                    resource.fields.append(FieldDeclaration("updated", .integer))
                    resource.since = SinceDeclaration(parameter: "since", field: "updated")
                    return resource
                }
            })
        fixture.feed.change("projects") { rows in
            for place in rows.indices { rows[place]["updated"] = .integer(rows[place].id) }
        }
        #expect(try await fixture.gateway().syncAll().run().0.word == "complete")
        fixture.feed.change("projects") { $0.removeLast() }
        fixture.clock.advance(by: .seconds(1))
        let before = fixture.requests.count
        var start = SyncStart.theBeginning, ends: [String] = [], missing: Int64 = 0
        while ends.last != "complete", ends.count < 30 {
            let (end, progress) = try await fixture.gateway().syncAll(from: start, maximumRequests: 2).run()
            ends.append(end.word)
            missing += progress.changes.missing
            start = .whereItStopped
            fixture.clock.advance(by: .seconds(1))
        }
        let requests = fixture.requests.dropFirst(before)
        #expect(ends.last == "complete" && !requests.contains { $0.contains("since") }, "\(requests)")
        #expect(requests.count < Set(requests).count + ends.count && missing == 1, "\(requests)")
    }

    @Test("a list declared vast is fetched only by name, and a note says that no list was requested")
    func vast() async throws {
        let fixture = try await ResourceFixture(changing: { source in source.resources[0].isVast = true })
        var notes: [String] = []
        for await event in fixture.gateway.syncAll() {
            if case .noted(_, let note) = event { notes.append(note) }
            if case .ended(_, let progress) = event { #expect(progress.requests == 0) }
        }
        #expect(notes.count == 1 && notes[0].hasPrefix("nothing was requested"), "\(notes)")
        #expect(try await fixture.gateway.syncPeople().run().1.requests == 3)
    }
}

@Suite("A day of hourly syncs")
struct SyncDayTests {
    @Test("each hour uses up its budget and no more; when everything is stored, a day costs no request")
    func day() async throws {
        let clock = ManualClock(), spent = SpentBudget(),
            changes = (1...200).flatMap { ScriptedFeed.changes(3, of: $0) }
        let fixture = try await ResourceFixture(
            people: 1...50, projects: 1...200, changes: changes, pageSize: 2,
            around: { feed in
                RefusingFeed(feed) { _ in
                    let mayAsk = await spent.mayAsk(in: clock.now().milliseconds / 3_600_000, 60)
                    return mayAsk ? nil : PatchbayError(.rateLimited, "the budget of this hour is spent")
                }
            },
            changing: { source in
                source.resources = source.resources.map { resource in
                    var resource = resource
                    resource.fresh = .seconds(86_400)
                    return resource
                }
            })
        try await fixture.gateway.put(ScriptedFeed.projects(1...200), in: "projects")
        var ends: [String] = [], requests: [Int] = []
        for _ in 0..<24 {
            let gateway = try await fixture.gateway()
            let (end, progress) = await gateway.syncAll(maximumRequests: 1_000).run()
            ends.append(end.word)
            requests.append(progress.requests)
            fixture.clock.advance(by: .seconds(3_600))
            clock.advance(by: .seconds(3_600))
        }
        // There are 25 pages of people and 400 of changes. A refused request counts as sent.
        let full = ends.firstIndex(of: "complete") ?? 0
        #expect((7...8).contains(full) && ends[..<full].allSatisfy { $0 == "failed: rate limited" })
        #expect(try await fixture.stored("changes").count == 600)
        #expect(requests[..<full].allSatisfy { (60...60 + 8).contains($0) })
        #expect(
            ends[full...].allSatisfy { $0 == "complete" } && requests[(full + 1)...].allSatisfy { $0 == 0 })
        let answered = fixture.requests.filter { !$0.hasSuffix(" if changed") }
        #expect(Set(answered.filter { $0.hasPrefix("changes") }).count == 400)
        #expect(answered.filter { $0.hasPrefix("changes") }.count == 400)
        // Eight lists are fetched at once, and those that were interrupted begin with their last page.
        #expect(fixture.requests.count - answered.count <= 8 * full)
    }
}

/// Counts the requests of each hour.
private actor SpentBudget {
    private var hour: Int64 = 0
    private var count = 0

    func mayAsk(in hour: Int64, _ budget: Int) -> Bool {
        if hour != self.hour { (self.hour, count) = (hour, 0) }
        count += 1
        return count <= budget
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Listing rows by links")
struct ListLinkedTests {
    @Test("only the pages of the stretch are fetched, and they are only confirmed the next time")
    func window() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        let first = try await gateway.listProjects(limit: 30).all
        #expect(first.map(\.outcome.word) == ["fresh"])
        #expect(first[0].value?.ids == Array(1...30))
        #expect(first[0].value?.hasMore == true)
        let second = try await gateway.listProjects(limit: 30).all
        #expect(second.map(\.outcome.word) == ["stored", "unchanged"])
        let pages = ["projects of octocat", "projects of octocat page 2"]
        #expect(fixture.requests == pages + pages.map { $0 + " if changed" })
    }

    @Test("a stretch requests only the pages that contain it")
    func batches() async throws {
        let fixture = try await ResourceFixture(projects: 1...45)
        let gateway = try await fixture.gateway()
        let requests = { fixture.requests.count }
        var asked: [Int] = [], seen: [Int64] = []
        for skipped in stride(from: 0, through: 40, by: 10) {
            let before = requests()
            let answer = try await gateway.listProjects(skipping: skipped, limit: 10).ending
            seen += answer.value?.ids ?? []
            #expect(answer.value?.hasMore == (skipped < 40))
            asked.append(requests() - before)
        }
        #expect(seen == Array(1...45))
        #expect(asked == [1, 1, 1, 1, 1])
        let pages = ["", "", " page 2", " page 2", " page 3"].map { "projects of octocat" + $0 }
        #expect(
            fixture.requests.map { $0.replacing(" if changed", with: "") } == pages)
        let offline = try await gateway.listProjects(skipping: 40, limit: 10, policy: .localOnly).all
        #expect(offline.last?.value?.ids == Array(41...45))
        let behind = try await gateway.listProjects(skipping: 60, limit: 10).all
        #expect(behind.last?.value?.items.isEmpty == true && behind.last?.value?.hasMore == false)
    }

    @Test(
        "a list whose last page is empty does not go on after its last row once that page is stored",
        arguments: [3, 101])
    func emptyEnd(_ pages: Int) async throws {
        let gateway = try await ResourceFixture { _ in EmptyEnd(pages: pages) }.gateway
        let count = pages * EmptyEnd.pageSize
        #expect(try await gateway.listProjects(limit: count).ending.value?.hasMore == true)
        _ = try await gateway.listProjects(limit: count + 1).ending
        for (limit, hasMore) in [(count, false), (count - 1, true), (count - EmptyEnd.pageSize, true)] {
            let list = try await gateway.listProjects(limit: limit, policy: .localOnly).ending.value
            #expect(list?.items.count == limit && list?.hasMore == hasMore && list?.isPartial == false)
            let batches = gateway.batches(
                of: try gateway.projects(), limit: limit, policy: .localOnly)
            var last: ItemList?
            while let batch = await batches.next() { last = batch.value }
            #expect(last?.hasMore == hasMore)
        }
    }

    @Test(
        "a page that is fetched alone loses no row of the others, at the start, in the middle and at the end")
    func pagesAlone() async throws {
        for skipped in [0, 20, 40] {
            let fixture = try await ResourceFixture()
            _ = try await fixture.gateway.syncProjects().run()
            // Each row moves a page ahead, and the first one to the end.
            fixture.feed.change("projects") { $0 = Array($0[20...] + $0[..<20]) }
            fixture.clock.advance(by: .seconds(1))
            let gateway = try await fixture.gateway()
            _ = try await gateway.listProjects(skipping: skipped, limit: 5, policy: .remoteFirst).ending
            let list = try #require(
                try await gateway.listProjects(limit: 60, policy: .localOnly).ending.value)
            #expect(Set(list.ids) == Set(1...50) && list.ids.count == 50 && list.isWhole, "\(skipped)")
            // A batch does not know the rows of all pages before it.
            if skipped < 40 {
                let batches = gateway.batches(of: try gateway.projects(), limit: .max, policy: .localOnly)
                #expect(await batches.next()?.value?.ids == list.ids)
            }
            _ = try await fixture.gateway().syncProjects().run()
            let synced = try await gateway.listProjects(limit: 60, policy: .localOnly).ending.value
            #expect(synced?.ids == Array(21...50) + Array(1...20))
        }
    }

    @Test("the end of a list that is fetched alone loses no row of it")
    func shorterList() async throws {
        let fixture = try await ResourceFixture(projects: 1...45)
        _ = try await fixture.gateway.syncProjects().run()
        fixture.feed.change("projects") { $0.removeFirst(10) }
        fixture.clock.advance(by: .seconds(1))
        let gateway = try await fixture.gateway()
        _ = try await gateway.listProjects(skipping: 20, limit: 5, policy: .remoteFirst).ending
        let list = try await gateway.listProjects(limit: 60, policy: .localOnly).ending.value
        // The rows that were removed are on the first page, which was not requested.
        #expect(Set(list?.ids ?? []) == Set(1...45) && list?.isWhole == true, "\(list?.ids ?? [])")
        for _ in 0..<2 {
            fixture.clock.advance(by: .seconds(1))
            _ = try await fixture.gateway().syncProjects().run()
        }
        let synced = try await gateway.listProjects(limit: 60, policy: .localOnly).ending.value
        #expect(synced?.ids == Array(11...45))
    }

    @Test("a stretch in the middle of an unknown list also fetches the pages before it")
    func jump() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        let answer = try await gateway.listProjects(skipping: 30, limit: 10).ending
        #expect(answer.value?.ids == Array(31...40))
        #expect(fixture.requests.count == 2)
        let unknown = try await gateway.listProjects(skipping: 40, limit: 1, policy: .localOnly).all
        #expect(unknown.map(\.outcome.word) == ["local only"] && unknown[0].value == nil)
    }

    @Test("the end of the list is reported, and rows missing from two lists are marked as gone")
    func end() async throws {
        let fixture = try await ResourceFixture(projects: 1...25)
        let gateway = try await fixture.gateway()
        let all = try await gateway.listProjects(limit: 100).all
        #expect(all.last?.value?.items.count == 25 && all.last?.value?.hasMore == false)
        fixture.feed.change("projects") { $0.removeAll { $0.id == 7 } }
        let once = try await gateway.listProjects(limit: 100).all
        #expect(once.last?.value?.ids == Array(1...6) + Array(8...25) + [7])
        #expect(try await fixture.stored("projects").first { $0.id == 7 }?.state.missingSince != nil)
        let rest = try await gateway.listProjects(limit: 100).all
        #expect(rest.last?.value?.ids == Array(1...6) + Array(8...25))
        #expect(
            try await fixture.stored("projects").first { $0.id == 7 }?.state.goneAt != nil)
    }

    @Test("a list leaves the cursor of an interrupted sync where it is")
    func cursor() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.gateway().syncProjects(maximumRequests: 2).run()
        let runs = try await fixture.stored(StoredListRun.self)
        _ = try await fixture.gateway().listProjects(limit: 1).all
        #expect(try await fixture.stored(StoredListRun.self) == runs)
    }

    @Test("offline no request is sent; when the source fails, stored rows are returned")
    func withoutSource() async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await fixture.gateway()
        let nothing = try await gateway.listProjects(policy: .localOnly).all
        #expect(nothing.map(\.outcome.word) == ["local only"] && nothing[0].value == nil)
        #expect(fixture.requests.isEmpty)
        _ = try await gateway.listProjects(limit: 20).all
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no route"))
        let answers = try await gateway.listProjects(limit: 20, policy: .refresh).all
        #expect(answers.map(\.outcome.word) == ["failed: offline"])
        #expect(answers[0].value?.items.count == 20)
    }

    @Test("stored rows from another address or token are not complete", arguments: [false, true])
    func identity(_ isOrdered: Bool) async throws {
        let fixture = try await ResourceFixture(people: 1...8, projects: 1...8)
        func list(as identity: String, _ policy: Policy) async throws -> ListSummary {
            let gateway = try await fixture.gateway(identity: identity) {
                $0.feed = PartitionedFeed(inner: fixture.feed, identity: identity)
            }
            let answers =
                try isOrdered
                ? gateway.listPeople(limit: 20, policy: policy)
                : gateway.listProjects(limit: 20, policy: policy)
            return ListSummary(await answers.ending, limit: 20)
        }
        let own = "https://a.example token key=1"
        #expect(try await list(as: own, .localFirst).isComplete)
        for (identity, isComplete) in [
            (own, true), ("https://a.example anonymous key=1", true),
            ("https://a.example other key=1", false), ("https://b.example token key=1", false),
            ("https://a.example token key=2", true),
        ] {
            let stored = try await list(as: identity, .localOnly)
            #expect(stored.count == 8 && stored.isComplete == isComplete, "\(identity)")
            let doubt = "these rows were fetched from another address or with another token"
            #expect(stored.reason == (isComplete ? nil : doubt))
        }
        #expect(try await list(as: "https://b.example token key=1", .localFirst).isComplete)
        #expect(try await list(as: "https://b.example token key=1", .localOnly).isComplete)
    }

    @Test("changes come newest first; a project that is not stored is fetched before them")
    func changes() async throws {
        let fixture = try await ResourceFixture(changes: ScriptedFeed.changes(50, of: 7))
        let gateway = fixture.gateway, question = try gateway.changes(of: "octocat/p-7")
        let answer = try #require(await gateway.list(question, limit: 30).all.last)
        #expect(answer.value?.parent?.id == 7 && answer.value?.hasMore == true)
        #expect(answer.value?.items.first?.text("message") == "change 50")
        #expect(answer.value?.items.count == 30)
        #expect(
            fixture.requests == [
                "project octocat/p-7", "changes of octocat/p-7", "changes of octocat/p-7 page 2",
            ])
        let again = await gateway.list(question, limit: 30).all
        #expect(again.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(again.last?.value?.items == answer.value?.items)
    }

    @Test("rows whose keys differ only in the encoding of a character are listed side by side")
    func encodings() async throws {
        let rows: [ScriptedFeed.Row] = ["caf\u{E9}", "cafe\u{301}", "\u{301}e"].map {
            ["project": .integer(7), "sha": .text($0), "message": .text("m")]
        }
        let fixture = try await ResourceFixture(changes: rows)
        let gateway = fixture.gateway, question = try gateway.changes(of: "octocat/p-7")
        #expect(await gateway.list(question).ending.value?.items.count == 3)
        let stored = try await fixture.stored("changes")
        #expect(stored.count == 3 && stored.allSatisfy { $0.state.goneAt == nil })
        fixture.feed.change("changes") { $0.removeFirst() }
        #expect(await gateway.list(question).ending.value?.items.count == 2)
        #expect(try await fixture.stored("changes").filter { $0.state.goneAt != nil }.count == 1)
    }

    @Test("a project without changes has an empty list, which is stored as such")
    func empty() async throws {
        let gateway = try await ResourceFixture().gateway
        let question = try gateway.changes(of: "octocat/p-7")
        #expect(await gateway.list(question).all.last?.value?.items.isEmpty == true)
        let offline = await gateway.list(question, policy: .localOnly).all
        #expect(offline.last?.value?.items.isEmpty == true)
    }

    @Test("changes removed upstream are marked as gone for this project only")
    func rewritten() async throws {
        let rows = ScriptedFeed.changes(5, of: 7) + ScriptedFeed.changes(5, of: 8)
        let fixture = try await ResourceFixture(changes: rows)
        let gateway = fixture.gateway
        for project in ["octocat/p-7", "octocat/p-8"] {
            #expect(await gateway.list(try gateway.changes(of: project)).ending.value?.items.count == 5)
        }
        fixture.feed.change("changes") { $0.removeAll { $0["message"] == .text("change 5") } }
        let listed = await gateway.list(try gateway.changes(of: "octocat/p-7")).ending.value
        #expect(listed?.items.count == 4)
        let gone = try await fixture.stored("changes").filter { $0.state.goneAt != nil }
        #expect(gone.map { $0.integer("project") } == [7])
    }

    @Test("a list has at most the given number of rows, and nothing is requested beyond them")
    func maximum() async throws {
        let fixture = try await ResourceFixture()
        let answer = try await fixture.gateway.listProjects(limit: 30, maximum: 20).ending
        #expect(answer.value?.ids == Array(1...20) && answer.state == .limitReached(20))
        let behind = try await fixture.gateway.listProjects(skipping: 20, limit: 10, maximum: 20).ending
        #expect(behind.value?.items.isEmpty == true && behind.state == .limitReached(20))
        #expect(fixture.requests.count == 1)
    }

    @Test(
        "an expired or stored cursor that is refused restarts the list, but only once",
        arguments: [VoidCursor(), CancellationError()] as [any Error & Sendable])
    func voidCursor(_ cause: any Error & Sendable) async throws {
        let fixture = try await ResourceFixture {
            RefusingFeed($0, ["projects of octocat page 3"], cause)
        }
        _ = try await fixture.gateway.listProjects(limit: 40).ending
        let answer = try await fixture.gateway.listProjects(skipping: 40, limit: 10).ending
        #expect(answer.outcome.word == "failed: invalid value")
        #expect(fixture.requests.suffix(2) == ["projects of octocat", "projects of octocat page 2"])
    }

    @Test("the error for a wrong number of arguments names the needed ones")
    func arguments() async throws {
        let gateway = try await ResourceFixture().gateway
        let projects = try gateway.resource("projects"), changes = try gateway.resource("changes")
        for (resource, list, arguments, words) in [
            (projects, nil, [], "the list of projects needs OWNER, and none was given"),
            (projects, "all", ["x"], "the list of projects takes no argument, and \"x\" was given"),
            (changes, nil, [], "the list of changes needs OWNER/NAME, and none was given"),
        ] as [(Resource, String?, [String], String)] {
            let error = #expect(throws: PatchbayError.self) {
                try gateway.question(resource, list: list, arguments: arguments)
            }
            #expect(error?.code == .invalidValue && error?.message == words)
        }
        let unknown = #expect(throws: PatchbayError.self) {
            try gateway.question(projects, list: "starred", arguments: ["x"])
        }
        #expect(unknown?.code == .unsupported)
        #expect(throws: PatchbayError.self) { try gateway.question(projects, arguments: ["x"], after: 5) }
    }
}

/// Full pages of projects, followed by an empty one.
private struct EmptyEnd: PageFeed {
    static let pageSize = 10
    let pages: Int

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        let number = request.next.flatMap { Int($0.dropFirst(5)) } ?? 0
        guard number < pages else { return .changed(ItemPage([], next: nil), Validator()) }
        let ids = (1...Self.pageSize).map { Int64(number * Self.pageSize + $0) }
        let items = try ScriptedFeed.projects(ids).map {
            try ScriptedFeed.item($0, of: request.question.resource)
        }
        return .changed(ItemPage(items, next: "page \(number + 1)"), Validator())
    }
}

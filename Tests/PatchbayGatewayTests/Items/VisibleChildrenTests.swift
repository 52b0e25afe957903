import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Children of the visible rows", .timeLimit(.minutes(5)))
struct VisibleChildrenTests {
    /// Twenty projects with three changes each and the time of the last push.
    private func fixture(
        concurrency: Int = 1, around: (ScriptedFeed) -> any ResourceFeed = { $0 }
    ) async throws -> (ResourceFixture, [Item]) {
        let fixture = try await ResourceFixture(
            projects: 1...20, changes: (1...20).flatMap { ScriptedFeed.changes(3, of: $0) },
            around: around,
            changing: { source in
                source.concurrency = concurrency
                source.resources[1].fields.append(FieldDeclaration("pushed_at", .time))
                source.resources[2].changedAt = "pushed_at"
            })
        let window = try await fixture.gateway.listProjects(limit: 20).ending.value
        return (fixture, try #require(window?.items))
    }

    /// The same, with a feed whose changes the test releases.
    private func gated(concurrency: Int = 1) async throws -> (GatedFeed, ResourceFixture, [Item]) {
        var gate: GatedFeed?
        let (fixture, all) = try await fixture(concurrency: concurrency) { feed in
            let gated = GatedFeed(feed)
            gate = gated
            return gated
        }
        return (try #require(gate), fixture, all)
    }

    private func visible(
        _ gateway: Gateway, _ policy: Policy = .localFirst
    ) throws -> VisibleChildren {
        try gateway.visibleChildren(gateway.resource("changes"), policy: policy)
    }

    private func take(_ count: Int, of children: VisibleChildren) async -> [VisibleChildren.Arrival] {
        var taken: [VisibleChildren.Arrival] = []
        guard count > 0 else { return taken }
        for await arrival in children.arrivals {
            taken.append(arrival)
            if taken.count == count { break }
        }
        return taken
    }

    /// The requests for changes.
    private func requests(_ fixture: ResourceFixture) -> [String] {
        fixture.requests.filter { $0.hasPrefix("changes") }
    }

    private func pushed(_ project: Item, at time: Timestamp) throws -> Item {
        var row = ScriptedFeed.projects([project.id])[0]
        row["pushed_at"] = .time(time)
        return try ScriptedFeed.item(row, of: project.resource)
    }

    @Test("visible rows arrive; stored children cost no request when their parent is visible again")
    func arrivals() async throws {
        let (fixture, all) = try await fixture(concurrency: 4)
        let children = try visible(fixture.gateway)
        await children.show(Array(all[0..<5]))
        let first = await take(5, of: children)
        #expect(first.map(\.parent.id).sorted() == Array(1...5))
        #expect(first.allSatisfy { $0.answer.value?.items.count == 3 && $0.answer.outcome.word == "fresh" })
        await children.show(Array(all[3..<8]))
        #expect(await take(3, of: children).map(\.parent.id).sorted() == Array(6...8))
        await children.show(Array(all[0..<2]))
        #expect(await take(2, of: children).allSatisfy { $0.answer.outcome.word == "local only" })
        #expect(requests(fixture).count == 8)
        let again = try visible(await fixture.gateway())
        await again.show(Array(all[0..<8]))
        #expect(await take(8, of: again).allSatisfy { $0.answer.value?.items.count == 3 })
        #expect(requests(fixture).count == 8)
    }

    @Test("no more requests are sent at the same time than the source accepts", arguments: [1, 3])
    func bounded(_ concurrency: Int) async throws {
        let (gate, fixture, all) = try await gated(concurrency: concurrency)
        let children = try visible(fixture.gateway)
        await children.show(Array(all[0..<6]))
        var asked = await gate.projects(concurrency)
        while asked.count < 6 {
            #expect(gate.asked.count == concurrency)
            gate.open(gate.asked[0])
            asked += await gate.projects(1)
        }
        #expect(asked.sorted() == Array(1...6))
        for project in gate.asked { gate.open(project) }
        #expect(await take(6, of: children).count == 6)
    }

    @Test("a row that leaves the window is cancelled or never requested, and does not arrive")
    func moved() async throws {
        let (gate, fixture, all) = try await gated(concurrency: 2)
        let children = try visible(fixture.gateway)
        await children.show(Array(all[0..<5]))
        #expect(await gate.projects(2).sorted() == [1, 2])
        await children.show(Array(all[1..<3]))
        #expect(await gate.projects(1) == [3])
        #expect(gate.cancelled == [1])
        for project: Int64 in [2, 3] { gate.open(project) }
        #expect(await take(2, of: children).map(\.parent.id).sorted() == [2, 3])
        #expect(requests(fixture).sorted() == ["changes of octocat/p-2", "changes of octocat/p-3"])
    }

    @Test("a row that comes back while its request is being cancelled is requested again")
    func back() async throws {
        let (gate, fixture, all) = try await gated()
        let children = try visible(fixture.gateway)
        await children.show([all[0]])
        #expect(await gate.projects(1) == [1])
        await children.show([])
        await children.show([all[0]])
        #expect(await gate.projects(1) == [1])
        gate.open(1)
        #expect(await take(1, of: children).map(\.answer.outcome.word) == ["fresh"])
    }

    @Test("arrivals not received before the window moved are dropped")
    func slow() async throws {
        let (fixture, all) = try await fixture(concurrency: 2)
        let children = try visible(fixture.gateway)
        for start in 0..<15 { await children.show(Array(all[start..<start + 5])) }
        let taken = await take(5, of: children)
        #expect(taken.map(\.parent.id).sorted() == Array(15...19))
    }

    @Test("the children of a changed row are requested again, conditionally")
    func changed() async throws {
        let (fixture, all) = try await fixture()
        let children = try visible(fixture.gateway)
        await children.show([all[0]])
        _ = await take(1, of: children)
        await children.show([])
        await children.show([try pushed(all[0], at: fixture.clock.now().advanced(by: .seconds(-400)))])
        #expect(await take(1, of: children).map(\.answer.outcome.word) == ["local only"])
        fixture.clock.advance(by: .seconds(60))
        fixture.feed.change("changes") { $0 = ScriptedFeed.changes(4, of: 1) }
        await children.show([])
        // The source's clock is behind.
        await children.show([try pushed(all[0], at: fixture.clock.now().advanced(by: .seconds(-200)))])
        let arrival = try #require(await take(1, of: children).first)
        #expect(arrival.answer.value?.items.first?.text("message") == "change 4")
        #expect(requests(fixture) == ["changes of octocat/p-1", "changes of octocat/p-1 if changed"])
    }

    @Test("an empty list of children is stored and not requested again")
    func none() async throws {
        let (fixture, all) = try await fixture()
        fixture.feed.change("changes") { $0.removeAll { $0["project"] == .integer(7) } }
        for outcome in ["fresh", "local only"] {
            let children = try visible(fixture.gateway)
            await children.show([all[6]])
            let arrival = try #require(await take(1, of: children).first)
            #expect(arrival.answer.value?.items == [] && arrival.answer.outcome.word == outcome)
        }
        #expect(requests(fixture).count == 1)
    }

    @Test("other policies send a request for every row, or for none")
    func policies() async throws {
        let (fixture, all) = try await fixture()
        for (policy, outcome) in [
            (Policy.localOnly, "local only"), (.remoteFirst, "fresh"), (.refresh, "fresh"),
            (.localOnly, "local only"),
        ] {
            let children = try visible(fixture.gateway, policy)
            await children.show([all[0]])
            #expect(await take(1, of: children).map(\.answer.outcome.word) == [outcome])
        }
        #expect(requests(fixture).count == 2)
    }

    @Test("a failure arrives with its error; close and cancellation end the arrivals and the requests")
    func ends() async throws {
        let (gate, fixture, all) = try await gated()
        fixture.feed.answers.fail(with: PatchbayError(.rateLimited, "not now"))
        let children = try visible(fixture.gateway)
        await children.show([all[0]])
        _ = await gate.projects(1)
        gate.open(1)
        #expect(await take(1, of: children).map(\.answer.outcome.word) == ["failed: rate limited"])
        await children.show([all[1]])
        _ = await gate.projects(1)
        let observer = Task {
            for await _ in children.arrivals {
                Issue.record("an arrival was received after the cancellation")
            }
        }
        observer.cancel()
        await observer.value
        await children.close()
        #expect(await take(1, of: children).isEmpty)
        await children.show([all[2]])
        #expect(gate.asked.allSatisfy { $0 == 2 })
    }

    @Test("a resource whose lists do not belong to other rows is refused")
    func unsupported() async throws {
        let (fixture, _) = try await fixture()
        let error = #expect(throws: PatchbayError.self) {
            try fixture.gateway.visibleChildren(fixture.gateway.resource("people"))
        }
        #expect(error?.code == .unsupported)
    }
}

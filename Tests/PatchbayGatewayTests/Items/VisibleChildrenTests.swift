import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Children of the visible rows", .timeLimit(.minutes(5)))
struct VisibleChildrenTests {
    private let fixture: ItemsFixture
    private let all: [Item]

    init() async throws {
        let fixture = try await ItemsFixture()
        self.fixture = fixture
        all = try Person.all(1...20).map { try Item(encoding: $0, of: fixture.people) }
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

    private func changed(_ id: Int64, at time: Timestamp) throws -> Item {
        var person = Person(id)
        person.seenAt = time
        return try Item(encoding: person, of: fixture.people)
    }

    @Test("what is visible arrives; stored children cost nothing when their parent is visible again")
    func arrivals() async throws {
        let lists = try ChildLists(fixture.gateway)
        let children = lists.visible(concurrency: 4)
        await children.show(Array(all[0..<5]))
        let first = await take(5, of: children)
        #expect(first.map(\.parent.id).sorted() == Array(1...5))
        #expect(first.allSatisfy { $0.answer.value?.items.count == 3 && $0.answer.outcome.word == "fresh" })
        await children.show(Array(all[3..<8]))
        #expect(await take(3, of: children).map(\.parent.id).sorted() == Array(6...8))
        await children.show(Array(all[0..<2]))
        #expect(await take(2, of: children).allSatisfy { $0.answer.outcome.word == "local only" })
        #expect(lists.requests.count == 8)
        let again = lists.visible()
        await again.show(Array(all[0..<8]))
        #expect(await take(8, of: again).allSatisfy { $0.answer.value?.items.count == 3 })
        #expect(lists.requests.count == 8)
    }

    @Test("no more requests are sent at the same time than the source accepts", arguments: [1, 3])
    func bounded(_ concurrency: Int) async throws {
        let lists = try ChildLists(fixture.gateway, isGated: true)
        let children = lists.visible(concurrency: concurrency)
        await children.show(Array(all[0..<6]))
        var asked = await lists.parents(concurrency)
        while asked.count < 6 {
            #expect(lists.asked.count == concurrency)
            lists.open(lists.asked[0])
            asked += await lists.parents(1)
        }
        #expect(asked.sorted() == Array(1...6))
        for parent in lists.asked { lists.open(parent) }
        #expect(await take(6, of: children).count == 6)
    }

    @Test("what leaves the window is cancelled, or never requested, and does not arrive")
    func moved() async throws {
        let lists = try ChildLists(fixture.gateway, isGated: true)
        let children = lists.visible(concurrency: 2)
        await children.show(Array(all[0..<5]))
        #expect(await lists.parents(2).sorted() == [1, 2])
        await children.show(Array(all[1..<3]))
        #expect(await lists.parents(1) == [3])
        #expect(lists.cancelled == [1])
        for parent: Int64 in [2, 3] { lists.open(parent) }
        #expect(await take(2, of: children).map(\.parent.id).sorted() == [2, 3])
        #expect(lists.requests.sorted() == ["notes of 2", "notes of 3"])
    }

    @Test("what comes back while its request is being cancelled is requested again")
    func back() async throws {
        let lists = try ChildLists(fixture.gateway, isGated: true)
        let children = lists.visible()
        await children.show([all[0]])
        #expect(await lists.parents(1) == [1])
        await children.show([])
        await children.show([all[0]])
        #expect(await lists.parents(1) == [1])
        lists.open(1)
        #expect(await take(1, of: children).map(\.answer.outcome.word) == ["fresh"])
    }

    @Test("arrivals that were not taken before the window moved are dropped")
    func slow() async throws {
        let children = try ChildLists(fixture.gateway).visible(concurrency: 2)
        for start in 0..<15 { await children.show(Array(all[start..<start + 5])) }
        let taken = await take(5, of: children)
        #expect(taken.map(\.parent.id).sorted() == Array(15...19))
    }

    @Test("the children of a row that has changed since are requested again")
    func changed() async throws {
        let lists = try ChildLists(fixture.gateway)
        let children = lists.visible()
        await children.show([all[0]])
        _ = await take(1, of: children)
        await children.show([])
        await children.show([try changed(1, at: fixture.clock.now())])
        #expect(await take(1, of: children).map(\.answer.outcome.word) == ["local only"])
        fixture.clock.advance(by: .seconds(60))
        lists.setCount(4, of: 1)
        await children.show([])
        await children.show([try changed(1, at: fixture.clock.now())])
        #expect(await take(1, of: children).map(\.answer.value?.items.count) == [4])
        #expect(lists.requests == ["notes of 1", "notes of 1 if changed"])
    }

    @Test("that a row has no children is stored, and not requested again")
    func none() async throws {
        let lists = try ChildLists(fixture.gateway)
        lists.setCount(0, of: 7)
        for outcome in ["fresh", "local only"] {
            let children = lists.visible()
            await children.show([all[6]])
            let arrival = try #require(await take(1, of: children).first)
            #expect(arrival.answer.value?.items == [] && arrival.answer.outcome.word == outcome)
        }
        #expect(lists.requests.count == 1)
    }

    @Test("other policies send a request for every row, or for none")
    func policies() async throws {
        let lists = try ChildLists(fixture.gateway)
        for (policy, outcome) in [
            (Policy.localOnly, "local only"), (.remoteFirst, "fresh"), (.refresh, "fresh"),
            (.localOnly, "local only"),
        ] {
            let children = lists.visible(policy)
            await children.show([all[0]])
            #expect(await take(1, of: children).map(\.answer.outcome.word) == [outcome])
        }
        #expect(lists.requests.count == 2)
    }

    @Test("a failure arrives as such; close and cancellation end the arrivals and the requests")
    func ends() async throws {
        let lists = try ChildLists(fixture.gateway, isGated: true)
        lists.fail(with: PatchbayError(.rateLimited, "not now"))
        let children = lists.visible()
        await children.show([all[0]])
        _ = await lists.parents(1)
        lists.open(1)
        #expect(await take(1, of: children).map(\.answer.outcome.word) == ["failed: rate limited"])
        await children.show([all[1]])
        _ = await lists.parents(1)
        let observer = Task { for await _ in children.arrivals { Issue.record("nothing came") } }
        observer.cancel()
        await observer.value
        await children.close()
        #expect(await take(1, of: children).isEmpty)
        await children.show([all[2]])
        #expect(lists.asked.allSatisfy { $0 == 2 })
    }
}

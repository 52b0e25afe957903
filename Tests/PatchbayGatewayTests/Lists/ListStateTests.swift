import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("The states of a list")
struct ListStateTests {
    /// Walks through the list in stretches of 20, at most 100 in all.
    private func walk(_ gateway: Gateway, _ policy: Policy = .localFirst) async throws -> (
        [Int64], [ListState]
    ) {
        var ids: [Int64] = [], states: [ListState] = []
        var next: Int64? = 0
        while let after = next {
            let answer = try await gateway.listPeople(after: after, limit: 20, maximum: 100, policy: policy)
                .all
                .last
            ids += answer?.value?.ids ?? []
            if let state = answer?.state { states.append(state) }
            next = answer?.value?.next
        }
        return (ids, states)
    }

    @Test(
        "a list of at most 100 rows in stretches of 20 ends at the end of the source or at the limit",
        arguments: [0, 1, 19, 20, 21, 99, 100, 101] as [Int64])
    func ends(_ count: Int64) async throws {
        let fixture = try await ResourceFixture(people: 0...0)
        fixture.feed.change("people") { $0 = count == 0 ? [] : ScriptedFeed.people(1...count) }
        let windows = max(1, Int(min(count, 100) + 19) / 20)
        let more = Array(repeating: ListState.more, count: windows - 1)
        let end: ListState = count > 100 ? .limitReached(100) : .endOfSource
        for policy in [Policy.localFirst, .localOnly, .refresh] {
            let (ids, states) = try await walk(fixture.gateway, policy)
            #expect(ids == Array(1..<min(count, 100) + 1), "\(policy)")
            #expect(states == more + [end], "\(policy)")
        }
    }

    @Test("nothing is requested beyond the limit")
    func behindTheLimit() async throws {
        let fixture = try await ResourceFixture(people: 1...200)
        _ = try await walk(fixture.gateway)
        let asked = fixture.requests.count
        let answer = try await fixture.gateway.listPeople(after: 100, maximum: 100).all.last
        #expect(answer?.state == .limitReached(100))
        #expect(answer?.value?.items.isEmpty == true)
        #expect(fixture.requests.count == asked)
        let window = try await fixture.gateway.listPeople(after: 90, limit: 20, maximum: 100).all.last?.value
        #expect(window?.ids == Array(91...100))
    }

    @Test("the state is fetching while the source is queried, and more when the list continues")
    func fetching() async throws {
        let fixture = try await ResourceFixture()
        #expect(try await fixture.list().map(\.state) == [.more])
        #expect(try await fixture.list().map(\.state) == [.fetching, .more])
        #expect(try await fixture.list(after: 40).map(\.state) == [.endOfSource])
    }

    @Test("a list that was never fetched may have more rows")
    func unknown() async throws {
        let fixture = try await ResourceFixture()
        #expect(try await fixture.list(after: 0, .localOnly).map(\.state) == [.more])
        try await fixture.show("user-30")
        #expect(try await fixture.list(after: 0, .localOnly).map(\.state) == [.more])
    }

    @Test("a failure contains the time to retry, if the source stated one")
    func failed() async throws {
        let fixture = try await ResourceFixture()
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(try await fixture.list().map(\.state) == [.failed(retryAt: nil)])
        let time = try #require(Timestamp("2026-09-21T12:00:00Z"))
        fixture.feed.answers.fail(with: PatchbayError(.rateLimited, "not now", [.retryAt(time)]))
        #expect(try await fixture.list().map(\.state) == [.failed(retryAt: time)])
    }
}

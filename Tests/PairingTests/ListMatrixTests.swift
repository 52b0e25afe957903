import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// The states of lists of different lengths over every storage, with pages of 20 and at most 100 rows.
@Suite("Lists of 0 to 101 rows over every storage", .timeLimit(.minutes(5)))
struct ListMatrixTests {
    private static let counts = [0, 1, 19, 20, 21, 99, 100, 101]

    /// The results of one walk through the list.
    private struct Walk: Equatable {
        var ids: [Int64] = []
        /// The states of all answers, window by window.
        var states: [[ListState]] = []
    }

    private func walk(_ gateway: Gateway, _ policy: Policy = .localFirst) async throws -> Walk {
        var walk = Walk()
        var after: Int64? = 0
        while let start = after {
            var states: [ListState] = []
            for await answer in try gateway.listPeople(after: start, limit: 20, maximum: 100, policy: policy)
            {
                states.append(answer.state)
                guard answer.outcome.isEnding else { continue }
                walk.ids += answer.value?.ids ?? []
                after = answer.value?.next
            }
            walk.states.append(states)
        }
        return walk
    }

    @Test(
        "each answer states how the list continues, whether fetched, confirmed or offline",
        arguments: StorageFolder.all)
    func states(_ plugin: String) async throws {
        let folder = try StorageFolder()
        for count in Self.counts {
            let feed = ScriptedFeed(people: (0..<Int64(count)).map { $0 + 1 })
            let gateway = try await Gateway(
                storage: folder.storage(plugin, "\(count)"), source: feed.source(),
                clock: ManualClock().layerClock)
            let shown = min(count, 100), windows = max(1, (shown + 19) / 20)
            let end = count > 100 ? ListState.limitReached(100) : .endOfSource
            let endings = Array(repeating: ListState.more, count: windows - 1) + [end]

            let first = try await walk(gateway)
            #expect(first.ids == (0..<Int64(shown)).map { $0 + 1 }, "\(plugin), \(count) rows")
            #expect(first.states == endings.map { [$0] }, "\(plugin), \(count) rows")
            #expect(feed.requests.count == windows, "\(plugin), \(count) rows: \(feed.requests)")

            let second = try await walk(gateway)
            #expect(second.ids == first.ids)
            #expect(second.states == endings.map { [.fetching, $0] }, "\(plugin), \(count) rows, again")

            let offline = try await walk(gateway, .localOnly)
            #expect(offline == first, "\(plugin), \(count) rows, offline")

            let time = Timestamp(milliseconds: 1_800_000_000_000)
            feed.answers.fail(
                with: PatchbayError(.rateLimited, "not now", [.retryAt(time)]))
            let failed = try await gateway.listPeople(limit: 20, maximum: 100, policy: .remoteFirst).ending
            #expect(failed.state == .failed(retryAt: time))
            #expect(failed.value?.items.count == min(count, 20), "\(plugin), \(count) rows, failing")
            try await gateway.close()
        }
    }
}

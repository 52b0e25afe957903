import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Interrupting a sync")
struct SyncInterruptionTests {
    @Test(
        "stopped after any step, by the caller or by an error, the end is the same and no page is fetched twice",
        arguments: 0..<40)
    func anyMoment(_ round: Int) async throws {
        let seed = UInt64(round) &* 0x9E37_79B9_7F4A_7C15
        var generator = SeededGenerator(seed: seed)
        let fixture = SyncFixture(users: 1...137, repositories: 1...75, pageSize: 10)
        let offline = PatchbayError(.offline, "no network")
        var failures = 0
        var isDone = false
        while !isDone {
            let isFailing = Bool.random(using: &generator)
            let steps = Int.random(in: 0...4, using: &generator)
            fixture.users.fail(with: isFailing ? offline : nil, afterAnswers: steps)
            var left = isFailing ? Int.max : steps
            for await event in try await fixture.gateway().syncUsers() {
                if case .ended(.failed, _) = event { failures += 1 }
                left -= 1
                if left <= 0 { break }
            }
            isDone = try await fixture.stored(StoredListRun.self).first?.finishedAt != nil
        }
        #expect(try await fixture.stored(StoredUser.self).map(\.user.id) == Array(1...137), "seed \(seed)")
        #expect(fixture.users.requests.count == 14 + failures, "seed \(seed)")
        #expect(Set(fixture.users.requests).count == 14, "seed \(seed)")
    }

    @Test("a cancelled task ends the sync at once, with what was saved")
    func cancelled() async throws {
        let source = WaitingUserSource()
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "waiting", users: source),
            now: { Timestamp(milliseconds: 0) })
        let task = Task { await gateway.syncUsers().run().0.word }
        await source.isAsked()
        task.cancel()
        #expect(await task.value == "interrupted")
    }

    @Test("cancelling the caller cancels all details under way")
    func cancelledDetails() async throws {
        let source = WaitingUserSource()
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "waiting", users: source),
            now: { Timestamp(milliseconds: 0) })
        let logins = (1...50).map { "user-\($0)" }
        let task = Task { try await gateway.refreshUsers(logins, concurrency: 7) }
        await source.isAsked(times: 7)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(source.count == 7)
    }
}

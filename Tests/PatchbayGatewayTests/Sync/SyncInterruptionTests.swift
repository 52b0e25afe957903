import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Interrupting a sync")
struct SyncInterruptionTests {
    @Test(
        "interruptions by the caller or by errors do not change the result, and no page is fetched twice",
        arguments: 0..<40)
    func anyMoment(_ round: Int) async throws {
        let seed = UInt64(round) &* 0x9E37_79B9_7F4A_7C15
        var generator = SeededGenerator(seed: seed)
        let fixture = try await ResourceFixture(people: 1...137, projects: 1...75, pageSize: 10)
        let offline = PatchbayError(.offline, "no network")
        var failures = 0
        var isDone = false
        while !isDone {
            let isFailing = Bool.random(using: &generator)
            let steps = Int.random(in: 0...4, using: &generator)
            fixture.feed.answers.fail(with: isFailing ? offline : nil, afterAnswers: steps)
            var left = isFailing ? Int.max : steps
            for await event in try await fixture.gateway().syncPeople() {
                if case .ended(.failed, _) = event { failures += 1 }
                left -= 1
                if left <= 0 { break }
            }
            isDone = try await fixture.stored(StoredListRun.self).first?.finishedAt != nil
        }
        #expect(try await fixture.stored().map(\.id) == Array(1...137), "seed \(seed)")
        #expect(fixture.requests.count == 14 + failures, "seed \(seed)")
        #expect(Set(fixture.requests).count == 14, "seed \(seed)")
    }

    @Test("cancelling the task ends the sync at once, as interrupted")
    func cancelled() async throws {
        let held = HeldFeed(ScriptedFeed(people: 1...50))
        let fixture = try await ResourceFixture { _ in held }
        let sync = try fixture.gateway.syncPeople()
        let task = Task { await sync.run().0.word }
        await held.isAsked()
        task.cancel()
        #expect(await task.value == "interrupted")
    }
}

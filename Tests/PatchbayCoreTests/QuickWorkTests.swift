import Synchronization
import Testing

@testable import PatchbayCore

@Suite("quick work") struct QuickWorkTests {
    private let time = Time()
    private let slot = CallerSlot(processorCount: 2)

    /// A clock in nanoseconds that a test advances.
    private final class Time: Sendable {
        let now = Atomic<UInt64>(0)
    }

    private func work() -> QuickWork {
        QuickWork(borrowing: slot) { [time] in time.now.load(ordering: .relaxed) }
    }

    private func runsHere(_ work: QuickWork, nanoseconds: UInt64 = 0) -> Bool {
        let done: Void? = work.run {
            #expect(slot.isHeld)
            time.now.add(nanoseconds, ordering: .relaxed)
        }
        return done != nil
    }

    @Test("the first piece is left to another thread, quick ones after it run here")
    func quick() {
        let work = work()
        #expect(!runsHere(work))
        for _ in 0..<5 { #expect(runsHere(work)) }
        #expect(!slot.isHeld)
    }

    @Test("a slow piece leaves the next ones to another thread, until enough have run there")
    func slow() {
        let work = work()
        _ = runsHere(work)
        #expect(runsHere(work, nanoseconds: BlockingExecutor.quickNanosecondsMax + 1))
        for _ in 0..<BlockingExecutor.piecesAfterSlow { #expect(!runsHere(work)) }
        #expect(runsHere(work))
    }

    @Test("nothing runs here while the slot is taken")
    func taken() {
        let work = work()
        _ = runsHere(work)
        #expect(slot.take())
        #expect(work.run {} == nil)
        slot.giveBack()
        #expect(runsHere(work))
    }

    @Test("an error of the work is rethrown, and the slot is released")
    func throwing() {
        struct Own: Error {}
        let work = work()
        _ = runsHere(work)
        #expect(throws: Own.self) { try work.run { throw Own() } }
        #expect(!slot.isHeld)
        #expect(runsHere(work))
    }
}

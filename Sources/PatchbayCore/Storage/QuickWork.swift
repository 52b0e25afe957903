import Dispatch
import Synchronization

/// Runs work that may wait on the caller's thread, as long as it has been quick, so that the common short wait costs no
/// change of threads. What ``BlockingExecutor`` does for an actor, this does for work that something else keeps apart.
///
///     if let row = try quick.run({ try connection.get(key) }) { return row }
///     return try await ownThread.run { try connection.get(key) }
public final class QuickWork: Sendable {
    private let slot: CallerSlot
    private let now: @Sendable () -> UInt64
    /// How many pieces still go elsewhere. The first one does, because it may have to open something.
    private let slowPiecesLeft = Atomic(1)

    public convenience init(borrowing slot: CallerSlot = .shared) {
        self.init(borrowing: slot) { DispatchTime.now().uptimeNanoseconds }
    }

    /// - Parameter now: a clock in nanoseconds that only goes forward.
    init(borrowing slot: CallerSlot, now: @escaping @Sendable () -> UInt64) {
        self.slot = slot
        self.now = now
    }

    /// Runs `body` here and now. Nil, and nothing has run, when the last pieces were slow or the caller's thread is
    /// wanted elsewhere: the caller then runs it on a thread of its own. Not to be called by two at once.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result? {
        let left = slowPiecesLeft.load(ordering: .relaxed)
        guard left == 0 else {
            slowPiecesLeft.store(left - 1, ordering: .relaxed)
            return nil
        }
        guard slot.take() else { return nil }
        let start = now()
        defer {
            slot.giveBack()
            if now() - start > BlockingExecutor.quickNanosecondsMax {
                slowPiecesLeft.store(BlockingExecutor.piecesAfterSlow, ordering: .relaxed)
            }
        }
        return try body()
    }
}

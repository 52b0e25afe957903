import Dispatch
import Synchronization

/// Runs work that may block on the caller's thread as long as it has been quick, so that a typical short wait needs no
/// thread switch. It does for work that is serialised elsewhere what ``BlockingExecutor`` does for an actor.
///
///     if let row = try quick.run({ try connection.get(key) }) { return row }
///     return try await ownThread.run { try connection.get(key) }
public final class QuickWork: Sendable {
    private let slot: CallerSlot
    private let now: @Sendable () -> UInt64
    /// The number of pieces that must still run elsewhere. The first one does, because it may have to open a file.
    private let slowPiecesLeft = Atomic(1)

    /// Creates a runner. It refuses its first piece of work, which may have to open a file.
    public convenience init(borrowing slot: CallerSlot = .shared) {
        self.init(borrowing: slot) { DispatchTime.now().uptimeNanoseconds }
    }

    /// - Parameter now: a monotonic clock in nanoseconds.
    init(borrowing slot: CallerSlot, now: @escaping @Sendable () -> UInt64) {
        self.slot = slot
        self.now = now
    }

    /// Runs `body` on this thread. Returns nil without running it when recent pieces were slow or the caller's thread
    /// is needed elsewhere; the caller then runs it on its own thread. Must not be called concurrently.
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

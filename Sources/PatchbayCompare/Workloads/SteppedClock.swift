import PatchbayCore
import Synchronization

/// The clock for the timestamps in rows. It advances by a millisecond per operation, so that every subject stores the
/// same.
final class SteppedClock: Sendable {
    private let steps = Mutex<Int64>(0)

    func step() { steps.withLock { $0 += 1 } }

    func restart() { steps.withLock { $0 = 0 } }

    @Sendable func now() -> Timestamp {
        Timestamp(milliseconds: Population.storedAt.milliseconds + steps.withLock { $0 })
    }
}

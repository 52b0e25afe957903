import CPlatform

/// Waits for another process's lock in pauses that grow from 0.1 to 5 ms, up to a limit.
final class LimitedWait {
    private static let longestMicroseconds: UInt32 = 5_000
    private let end: ContinuousClock.Instant
    private var microseconds: UInt32 = 100

    init(milliseconds: Int) { end = .now + .milliseconds(milliseconds) }

    /// Returns false when the limit is reached.
    func pause() -> Bool {
        guard ContinuousClock.now < end else { return false }
        usleep(microseconds)
        microseconds = min(microseconds * 2, LimitedWait.longestMicroseconds)
        return true
    }
}

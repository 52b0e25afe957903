/// The clock used by layers. Tests supply their own.
public struct LayerClock: Sendable {
    /// The time of day; may jump when the clock is set.
    package let now: @Sendable () -> Timestamp
    /// The time since an unspecified point in the past; never jumps.
    package let uptime: @Sendable () -> Duration
    /// Waits; throws `CancellationError` immediately when the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a clock from its functions, as a test does.
    public init(
        now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }

    /// The system's steady clock and timer, with a time of day.
    public init(now: @escaping @Sendable () -> Timestamp) {
        let start = ContinuousClock.now
        self.init(
            now: now, uptime: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) })
    }
}

/// The pauses between attempts: each may be twice as long as the one before, and how much of that is taken is drawn by
/// chance, so that many clients do not come back at once ("full jitter").
struct Backoff {
    let first: Duration
    let max: Duration
    /// Draws from 0 to 1.
    let jitter: @Sendable () -> Double

    /// The pause before the second attempt is number 0.
    func pause(_ number: Int) -> Duration { min(first * (1 << min(number, 16)), max) * jitter() }
}

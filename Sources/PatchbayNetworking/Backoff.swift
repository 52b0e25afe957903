/// The pauses between attempts. The upper bound doubles with each pause, and the pause is a random part of it, so that
/// many clients do not retry at the same moment ("full jitter").
struct Backoff {
    let first: Duration
    let max: Duration
    /// Returns a random number from 0 to 1.
    let jitter: @Sendable () -> Double

    /// Returns a pause; number 0 is the one before the second attempt.
    func pause(_ number: Int) -> Duration { min(first * (1 << min(number, 16)), max) * jitter() }
}

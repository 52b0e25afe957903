import PatchbayCore

/// Retries operations that a server cannot perform yet, with growing pauses, for up to `storage.busy-timeout-ms`.
struct Patience {
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)
    /// The most times that a body runs when other writers keep it from committing.
    private static let repetitionsMax = 20

    private let time: Duration
    private var end: ContinuousClock.Instant
    private var pause = Self.firstPause
    private var repetitions = 0

    init(milliseconds: Int) {
        time = .milliseconds(milliseconds)
        end = .now + time
    }

    /// Starts the time again, because the server was there until now. A process that was suspended loses its
    /// connection too, and has waited for nothing.
    mutating func begin() {
        guard repetitions < Self.repetitionsMax else { return }
        end = .now + time
        pause = Self.firstPause
    }

    /// Waits before the next try.
    ///
    /// - Throws: the `PatchbayError` for `error` when the time is up; `CancellationError`.
    mutating func wait(after error: ServerError) async throws {
        repetitions += 1
        let isOver = ContinuousClock.now + pause > end
        if isOver || error.remedy == .again && !error.isAboutLock && repetitions > Self.repetitionsMax {
            throw error.patchbayError
        }
        // Random, so that many clients that lose the same server do not all retry at once.
        try await Task.sleep(for: pause * Double.random(in: 0.5...1))
        pause = min(pause * 2, Self.longestPause)
    }
}

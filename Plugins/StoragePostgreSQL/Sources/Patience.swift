import PatchbayCore

/// Tries again what a server cannot do at the moment, with growing pauses, as long as `storage.busy-timeout-ms` says.
struct Patience {
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)
    /// How often a body that others keep from committing runs at most.
    private static let repetitionsMax = 20

    private let end: ContinuousClock.Instant
    private var pause = Self.firstPause
    private var repetitions = 0

    init(milliseconds: Int) { end = .now + .milliseconds(milliseconds) }

    /// Waits before the next try.
    ///
    /// - Throws: what `error` means to people when there was time enough; `CancellationError`.
    mutating func wait(after error: ServerError) async throws {
        repetitions += 1
        let isOver = ContinuousClock.now + pause > end
        if isOver || error.remedy == .again && repetitions > Self.repetitionsMax { throw error.patchbayError }
        // Not all at once, when many lose the same server.
        try await Task.sleep(for: pause * Double.random(in: 0.5...1))
        pause = min(pause * 2, Self.longestPause)
    }
}

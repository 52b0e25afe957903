import PatchbayCore
import Synchronization

/// Remembers for 5 s that the source's server was unreachable, so that clients with a cached answer do not wait for the
/// next attempt.
final class Reachability: Sendable {
    private static let interval = Duration.seconds(5)

    private let clock: LayerClock
    private let failedAt = Mutex<Duration?>(nil)

    init(clock: LayerClock) { self.clock = clock }

    var isLost: Bool {
        let now = clock.uptime()
        return failedAt.withLock { $0.map { now - $0 < Self.interval } ?? false }
    }

    func failed() {
        let now = clock.uptime()
        failedAt.withLock { $0 = now }
    }

    func succeeded() { failedAt.withLock { $0 = nil } }
}

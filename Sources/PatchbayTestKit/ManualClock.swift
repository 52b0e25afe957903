public import PatchbayCore
import Synchronization

/// A clock that a test moves by hand; give `clock.now` to a gateway.
public final class ManualClock: Sendable {
    private let time: Mutex<Timestamp>

    public init(_ start: Timestamp = Timestamp(milliseconds: 1_790_000_000_000)) { time = Mutex(start) }

    public var now: @Sendable () -> Timestamp {
        { self.time.withLock { $0 } }
    }

    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        time.withLock { $0.milliseconds += seconds * 1_000 + attoseconds / 1_000_000_000_000_000 }
    }
}

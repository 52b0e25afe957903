import PatchbaySystem

extension Timestamp {
    /// The system's clock.
    public static func now() -> Timestamp { Timestamp(milliseconds: SystemClock.milliseconds) }
}

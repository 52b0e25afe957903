import CPlatform

extension Timestamp {
    /// The system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        // Cannot fail, because CLOCK_REALTIME always exists.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

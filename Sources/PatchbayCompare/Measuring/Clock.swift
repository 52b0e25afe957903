import CPlatform

/// The clocks for measurements, in nanoseconds.
enum Clock {
    /// The time since an arbitrary moment; never goes back.
    static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

    /// The processor time of all threads of this process.
    static func processor() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // Cannot fail, because both clocks always exist.
        _ = unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

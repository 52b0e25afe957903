#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The clocks that measure, in nanoseconds.
enum Clock {
    /// Only goes forward; counts from some moment in the past.
    static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

    /// The processor time of this process, all threads.
    static func processor() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // Cannot fail: both clocks are always there.
        _ = unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

import CPlatform
import PatchbayCore

/// The system's counters for this process since its start; nil where the system does not report them.
struct ProcessCounters {
    /// The bytes passed to write calls. Linux's count of bytes for the disk, `write_bytes`, is not used, because it
    /// adds a whole block of the page cache for each page that changes in it: with ext4 on Linux 6.18 it was 10.0 GB
    /// where LMDB wrote 0.82 GB.
    var writtenBytes: Int?
    var writeCalls: Int?

    /// - Parameter replies: the replies so far, each a write call.
    static func now(without replies: Replies = Replies()) -> ProcessCounters {
        let text = SystemFile.text("/proc/self/io") ?? ""
        return ProcessCounters(
            writtenBytes: SystemFile.number("wchar", in: text).map { $0 - replies.bytes },
            writeCalls: SystemFile.number("syscw", in: text).map { $0 - replies.count })
    }

    /// Resets the peak memory; false where the system does not permit it.
    static func restartPeakMemory() -> Bool { SystemFile.write("5", to: "/proc/self/clear_refs") }

    /// The most resident memory since the last reset.
    static var peakMemoryBytes: Int? {
        SystemFile.text("/proc/self/status").flatMap { SystemFile.number("VmHWM", in: $0) }.map { $0 * 1_024 }
    }
}

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

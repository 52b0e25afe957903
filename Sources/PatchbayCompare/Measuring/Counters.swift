import CPlatform
import PatchbayCore
import PatchbaySystem

/// The writing of a process, as its system counts it.
struct Writes {
    /// The bytes passed to write calls. Linux's count of bytes for the disk, `write_bytes`, is not used, because it
    /// adds a whole block of the page cache for each page that changes in it: with ext4 on Linux 6.18 it was 10.0 GB
    /// where LMDB wrote 0.82 GB.
    var bytes = 0
    var calls = 0

    /// Those of this process since its start, without some of them; nil where the system does not report them.
    static func now(without others: Writes = Writes()) -> Writes? {
        let text = SystemFile.text("/proc/self/io") ?? ""
        guard let bytes = SystemFile.number("wchar", in: text),
            let calls = SystemFile.number("syscw", in: text)
        else { return nil }
        return Writes(bytes: bytes - others.bytes, calls: calls - others.calls)
    }
}

/// The most memory that this process had resident.
enum PeakMemory {
    /// Begins again; false where the system does not permit it.
    static func restart() -> Bool { SystemFile.write("5", to: "/proc/self/clear_refs") }

    /// The most since then; nil where the system does not report it.
    static var bytes: Int? {
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

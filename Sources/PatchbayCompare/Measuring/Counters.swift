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

/// For how long each thread of this process was ready to run while other programs had the processors.
///
/// Beside a busy program, two equal storages whose processes run on different processors differ by a factor of 1.3 to
/// 1.8 for many rounds, because the scheduler leaves them where they are.
struct ProcessorWaits {
    private let nanoseconds: [String: UInt64]

    /// Those since the start of each thread; none where the system does not report them.
    static func now() -> ProcessorWaits {
        let threads = FileSystem.names(in: "/proc/self/task") ?? []
        return ProcessorWaits(
            nanoseconds: threads.reduce(into: [:]) { waits, thread in
                // The time that the thread ran, the time that it waited, and how often it ran.
                let words = SystemFile.text("/proc/self/task/\(thread)/schedstat")?.split(separator: " ")
                waits[thread] = words.flatMap { $0.count == 3 ? UInt64($0[1]) : nil }
            })
    }

    /// The sum of the waits since an earlier moment.
    func since(_ start: ProcessorWaits) -> UInt64 {
        nanoseconds.reduce(0) { sum, wait in
            let before = start.nanoseconds[wait.key] ?? 0
            return sum + (wait.value > before ? wait.value - before : 0)
        }
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

import CFlushCount

/// What the system has counted for this process since it began; nil where it does not tell.
struct ProcessCounters {
    /// What write calls were given. Linux's own count of bytes for the disk, `write_bytes`, takes a whole block of the
    /// page cache for each page that changes in it: with ext4 on Linux 6.18 that was 10.0 GB where LMDB wrote 0.82 GB.
    var writtenBytes: Int?
    var writeCalls: Int?
    var flushes: Int?

    static func now() -> ProcessCounters {
        let flushes = Int(patchbay_flush_count())
        let text = SystemFile.text("/proc/self/io") ?? ""
        return ProcessCounters(
            writtenBytes: SystemFile.number("wchar:", in: text),
            writeCalls: SystemFile.number("syscw:", in: text), flushes: flushes < 0 ? nil : flushes)
    }

    /// Forgets the most memory that was used until now; false where the system does not let it.
    static func restartPeakMemory() -> Bool { SystemFile.write("5", to: "/proc/self/clear_refs") }

    /// The most memory that was resident since then.
    static var peakMemoryBytes: Int? {
        SystemFile.text("/proc/self/status").flatMap { SystemFile.number("VmHWM:", in: $0) }.map {
            $0 * 1_024
        }
    }
}

import CFlushCount

/// What the system has counted for this process since it began; nil where it does not tell.
struct ProcessCounters {
    var writtenBytes: Int?
    var writeCalls: Int?
    var flushes: Int?

    static func now() -> ProcessCounters {
        let flushes = Int(patchbay_flush_count())
        let text = SystemFile.text("/proc/self/io") ?? ""
        return ProcessCounters(
            writtenBytes: SystemFile.number("write_bytes:", in: text),
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

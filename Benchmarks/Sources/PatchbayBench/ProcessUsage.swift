import Glibc

/// The processor time that this process and all processes have used so far.
struct ProcessUsage: Sendable {
    var ownSeconds: Double
    var busySeconds: Double
    var wall: UInt64

    static func now() -> ProcessUsage {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let own = [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
        let words = firstLine("/proc/stat").split(separator: " ").dropFirst().compactMap { Double($0) }
        // user, nice, system, idle, waiting, interrupts, soft interrupts, stolen.
        let busy = words.count < 8 ? 0 : words[0] + words[1] + words[2] + words[5] + words[6] + words[7]
        return ProcessUsage(
            ownSeconds: own, busySeconds: busy / Double(sysconf(Int32(_SC_CLK_TCK))), wall: nanoseconds())
    }

    /// Returns the number of processors that other programs have kept busy since `start`.
    func foreignCores(since start: ProcessUsage) -> Double {
        let others = (busySeconds - start.busySeconds) - (ownSeconds - start.ownSeconds)
        return max(0, others / (Double(wall - start.wall) / 1e9))
    }

    /// Returns the memory lines of `/proc/self/status`, in KiB.
    static func memory() -> (peak: Int, anonymous: Int) {
        let text = contents("/proc/self/status")
        func value(_ name: String) -> Int {
            for line in text.split(separator: "\n") where line.hasPrefix(name) {
                return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
            }
            return 0
        }
        return (value("VmHWM:"), value("RssAnon:"))
    }

    /// Restarts the measurement of peak memory; where that is not permitted, the peak of the whole process is reported.
    static func resetPeak() {
        let descriptor = Glibc.open("/proc/self/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        Glibc.close(descriptor)
    }

    private static func firstLine(_ path: String) -> Substring {
        contents(path).split(separator: "\n").first ?? ""
    }

    private static func contents(_ path: String) -> String {
        let descriptor = Glibc.open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(Swift.max(0, count)), as: UTF8.self)
    }
}

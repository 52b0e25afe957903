import CPlatform
import PatchbayCore
import PatchbaySystem

/// The system's figures of this process, under the names that Prometheus' own clients use.
struct ProcessFigures: Sendable {
    private let startedAt = ContinuousClock.now

    func families(at now: Timestamp) -> [(name: String, family: MetricFamily)] {
        var families: [(name: String, family: MetricFamily)] = []
        func add(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Double?) {
            guard let value else { return }
            var family = MetricFamily(kind, help)
            family.series(.none)?.set(value)
            families.append((name, family))
        }
        add(
            "process_cpu_seconds_total", .counter,
            "CPU time used by the process, in seconds.",
            cpuSeconds)
        add(
            "process_resident_memory_bytes", .gauge, "Resident memory of the process, in bytes.",
            memoryBytes)
        add("process_open_fds", .gauge, "Open file descriptors.", openDescriptors)
        add("process_max_fds", .gauge, "Maximum number of open file descriptors.", descriptorsMax)
        let age = (ContinuousClock.now - startedAt) / .seconds(1)
        add(
            "process_start_time_seconds", .gauge,
            "Start of the measurements of the process, in seconds since 1970.",
            (Double(now.milliseconds) / 1_000 - age).rounded())
        return families
    }

    private var cpuSeconds: Double? {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    /// The second number of `/proc/self/statm`: resident pages.
    private var memoryBytes: Double? {
        let words = SystemFile.text("/proc/self/statm")?.split(separator: " ") ?? []
        guard words.count > 1, let pages = Double(words[1]) else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private var openDescriptors: Double? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Excludes ".", ".." and the descriptor of the folder itself.
        return Double(max(0, count - 3))
    }

    private var descriptorsMax: Double? {
        var limit = rlimit()
        guard unsafe getrlimit(patchbay_limit_files, &limit) == 0 else { return nil }
        return Double(limit.rlim_cur)
    }
}

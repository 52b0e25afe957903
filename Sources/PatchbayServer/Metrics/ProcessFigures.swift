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
            CurrentProcess.processorSeconds)
        add(
            "process_resident_memory_bytes", .gauge, "Resident memory of the process, in bytes.",
            CurrentProcess.residentBytes.map(Double.init))
        add(
            "process_open_fds", .gauge, "Open file descriptors.",
            CurrentProcess.openDescriptorCount.map(Double.init))
        add(
            "process_max_fds", .gauge, "Maximum number of open file descriptors.",
            CurrentProcess.limit(.files).map(Double.init))
        let age = (ContinuousClock.now - startedAt) / .seconds(1)
        add(
            "process_start_time_seconds", .gauge,
            "Start of the measurements of the process, in seconds since 1970.",
            (Double(now.milliseconds) / 1_000 - age).rounded())
        return families
    }
}

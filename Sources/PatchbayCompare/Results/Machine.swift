import PatchbayCore
import PatchbaySystem

/// The machine on which a comparison ran.
package struct Machine: Sendable, Hashable, Codable {
    /// The name that the system reports: `Intel(R) Xeon(R) Processor @ 2.60GHz`.
    package var processor = ""
    /// The number of processors that the process may use.
    package var cores: Int = 0
    package var memoryBytes: Int = 0
    /// Name and release: `Linux 6.1.0`.
    package var kernel = ""
    /// `Debian GNU/Linux 12 (bookworm)`.
    package var distribution = ""
    /// The file system of the data folder: `ext4`.
    package var fileSystem = ""
}

extension Machine {
    /// This machine, with the file system of a folder. Facts that the system does not report are `unknown`, or 0.
    package static func current(folder: String) -> Machine {
        let processors = SystemFile.text("/proc/cpuinfo") ?? ""
        let memory = SystemFile.text("/proc/meminfo").flatMap { SystemFile.number("MemTotal", in: $0) }
        let system = SystemFile.text("/etc/os-release") ?? ""
        let kernel = ["ostype", "osrelease"].map { word in
            SystemFile.text("/proc/sys/kernel/\(word)")?.split(separator: "\n").first ?? "unknown"
        }
        return Machine(
            processor: SystemFile.value("model name", in: processors) ?? "unknown",
            cores: allowedCores, memoryBytes: (memory ?? 0) * 1_024,
            kernel: kernel.joined(separator: " "),
            distribution: SystemFile.value("PRETTY_NAME", in: system, separator: "=") ?? "unknown",
            fileSystem: DataFolder.fileSystem(of: folder))
    }

    /// The load average of the last minute; nil where the system does not report it.
    static var load: Double? {
        SystemFile.text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
    }

    /// The number of processors that this process may use, which may be fewer than the machine has.
    private static var allowedCores: Int {
        let status = SystemFile.text("/proc/self/status") ?? ""
        let mask = SystemFile.value("Cpus_allowed", in: status)
        return mask?.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
            ?? CurrentProcess.processorCount
    }
}

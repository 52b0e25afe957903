import CPlatform

extension Machine {
    /// This machine, with the file system of a folder. Facts that the system does not report are `unknown`, or 0.
    package static func current(folder: String) -> Machine {
        let processors = SystemFile.text("/proc/cpuinfo") ?? ""
        let memory = SystemFile.text("/proc/meminfo").flatMap { SystemFile.number("MemTotal:", in: $0) }
        let kernel = ["ostype", "osrelease"].map { word in
            SystemFile.text("/proc/sys/kernel/\(word)")?.split(separator: "\n").first ?? "unknown"
        }
        return Machine(
            processor: value("model name", in: processors, separator: ":") ?? "unknown",
            cores: allowedCores, memoryBytes: (memory ?? 0) * 1_024,
            kernel: kernel.joined(separator: " "),
            distribution: value("PRETTY_NAME", in: SystemFile.text("/etc/os-release") ?? "", separator: "=")
                ?? "unknown",
            fileSystem: DataFolder.fileSystem(of: folder))
    }

    /// The load average of the last minute; nil where the system does not report it.
    static var load: Double? {
        SystemFile.text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
    }

    /// The number of processors that this process may use, which may be fewer than the machine has.
    private static var allowedCores: Int {
        let status = SystemFile.text("/proc/self/status") ?? ""
        guard let list = value("Cpus_allowed_list", in: status, separator: ":") else {
            return sysconf(Int32(_SC_NPROCESSORS_ONLN))
        }
        return list.split(separator: ",").reduce(0) { sum, range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            return sum + ((ends.last ?? 0) - (ends.first ?? 0) + 1)
        }
    }

    /// The text after a name and a separator, without surrounding white space and quotes.
    private static func value(_ name: String, in text: String, separator: Character) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            guard let place = line.firstIndex(of: separator) else { continue }
            let isEdge: (Character) -> Bool = { $0.isWhitespace || $0 == "\"" }
            let text = line[place...].dropFirst().drop(while: isEdge)
            return String(text.reversed().drop(while: isEdge).reversed())
        }
        return nil
    }
}

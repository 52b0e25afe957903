import PatchbaySystem
import Synchronization

/// The identity of a process among all that may share a storage, on this machine or another: the machine's start, the
/// namespace of process ids, the process id, and the start of the process.
package struct ProcessName: Hashable, Sendable, CustomStringConvertible {
    private var boot: String
    private var namespace: String
    private var number: Int32
    private var start: String

    /// This process.
    package static var current: ProcessName {
        // A forked process has another id.
        let number = CurrentProcess.number
        return known.withLock { known in
            if let name = known, name.number == number { return name }
            let name = ProcessName(
                boot: bootName, namespace: namespaceName, number: number, start: startTime(of: number) ?? "")
            known = name
            return name
        }
    }

    private static let known = Mutex<ProcessName?>(nil)

    /// Reads a description; nil for another text.
    package init?(_ description: String) {
        let words = description.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, let number = Int32(words[2]), number > 0 else { return nil }
        self.init(
            boot: String(words[0]), namespace: String(words[1]), number: number, start: String(words[3]))
    }

    private init(boot: String, namespace: String, number: Int32, start: String) {
        self.boot = boot
        self.namespace = namespace
        self.number = number
        self.start = start
    }

    package var description: String { "\(boot) \(namespace) \(number) \(start)" }

    /// Whether the process is known to have ended. This is never known of a process on another machine or in another
    /// container.
    package var hasEnded: Bool {
        let current = ProcessName.current
        guard !boot.isEmpty, boot == current.boot, namespace == current.namespace else { return false }
        return Self.startTime(of: number) != start
    }

    /// The process in letters, digits and hyphens, for the beginning of a file's name.
    package var fileWord: String { "\(machine)-\(number)-\(start)" }

    /// Whether the process that named a file is known to have ended.
    ///
    /// - Parameter name: ``fileWord``, which a hyphen and other text may follow.
    package static func hasEnded(namer name: Substring) -> Bool {
        let words = name.split(separator: "-"), current = ProcessName.current
        guard words.count >= 3, let number = Int32(words[1]), number > 0, words[0] == current.machine,
            !current.boot.isEmpty, !current.start.isEmpty
        else { return false }
        return startTime(of: number) != String(words[2])
    }

    /// Distinguishes the machine's start and the namespace from others.
    private var machine: String { String(TextDigest(of: "\(boot) \(namespace)").description.prefix(8)) }

    private static var bootName: String {
        firstLine("/proc/sys/kernel/random/boot_id").map { $0.filter { $0.isHexDigit || $0 == "-" } } ?? ""
    }

    /// `pid:[4026531836]`, only the digits.
    private static var namespaceName: String {
        FileSystem.linkTarget("/proc/self/ns/pid")?.filter(\.isNumber) ?? ""
    }

    /// The start of a process, in ticks since the machine's start; nil when there is no such process.
    private static func startTime(of number: Int32) -> String? {
        guard let line = firstLine("/proc/\(number)/stat"), let end = line.lastIndex(of: ")") else {
            return nil
        }
        // The program's name, which may contain any characters, ends at the last parenthesis. The state is the third
        // field, the start the twenty-second (proc(5)).
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return String(fields[19])
    }

    private static func firstLine(_ path: String) -> String? {
        SystemFile.text(path)?.split(separator: "\n").first.map(String.init)
    }
}

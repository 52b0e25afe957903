package import PatchbaySystem

/// What distinguishes a storage from an earlier or another state of the same data, in which numbers of changes may have
/// been given differently.
public struct StorageIdentity: Hashable, Sendable {
    /// Names the file, the folder or the part of a server that holds the rows. It differs when they were copied, moved
    /// to another disk or restored.
    public var place: String
    /// The start of the machine that this process runs under, when a power cut may lose commits; nil when none can be
    /// lost.
    public var start: String?

    /// Creates an identity; without a start, commits survive every failure.
    public init(place: String, start: String? = nil) {
        self.place = place
        self.start = start
    }
}

extension StorageIdentity {
    /// The identity of files on a local disk.
    package init(_ file: FileStatus.Identity, _ durability: Durability) {
        self.init(
            place: "\(file.device):\(file.number):\(file.born)",
            start: durability == .full ? nil : MachineStart.identifier
        )
    }
}

/// The present start of the machine.
package enum MachineStart {
    /// Names the start; a constant where the system does not name it, so that a restart is not noticed.
    package static let identifier: String = {
        // Absent outside Linux, and in some sandboxes.
        let text = SystemFile.text("/proc/sys/kernel/random/boot_id")
        return text?.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? "unknown"
    }()
}

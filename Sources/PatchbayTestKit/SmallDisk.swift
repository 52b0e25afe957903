import PatchbaySystem

/// A small file system in memory, which only root may mount.
package final class SmallDisk: Sendable {
    /// Whether this process may mount file systems.
    // Any error means that it may not.
    package static let isPossible = (try? SmallDisk(kilobytes: 16)) != nil

    private let directory: TemporaryDirectory
    private let filler: String
    package var path: String { directory.path }

    /// - Throws: ``CannotCheck`` when the process lacks the privilege.
    package init(kilobytes: Int) throws {
        directory = try TemporaryDirectory()
        filler = directory.path + "/filler"
        guard Shell.run("mount -t tmpfs -o size=\(kilobytes)k tmpfs '\(directory.path)'") else {
            throw CannotCheck(reason: "this process may not mount a file system")
        }
    }

    deinit { Shell.run("while umount -l '\(path)'; do :; done") }

    /// Fills the disk with a file, except for the given number of KiB.
    package func fill(leavingKiB: Int = 0) throws {
        guard let room = DiskSpace.freeBytes(at: path) else { throw BrokenPromise("\(path) is not a disk") }
        try FolderState.write([UInt8](repeating: 0, count: room - leavingKiB * 1_024), to: filler)
    }

    // A disk without the file is free already.
    package func free() { try? FileSystem.remove(filler) }
}

enum Shell {
    /// Runs a command without its output; false when it fails.
    @discardableResult
    static func run(_ command: String) -> Bool {
        let process = try? ChildProcess(["sh", "-c", command], environment: CurrentProcess.variables)
        return process?.wait() == 0
    }
}

import CPlatform

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
        let command = "mount -t tmpfs -o size=\(kilobytes)k tmpfs '\(directory.path)' 2>/dev/null"
        guard unsafe system(command) == 0 else {
            throw CannotCheck(reason: "this process may not mount a file system")
        }
    }

    deinit { _ = unsafe system("while umount -l '\(path)' 2>/dev/null; do :; done") }

    /// Fills the disk with a file, except for the given number of KiB.
    package func fill(leavingKiB: Int = 0) throws {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw BrokenPromise("\(path) is not a disk") }
        let room = Int(status.f_bavail) * Int(status.f_frsize) - leavingKiB * 1_024
        try FolderState.write([UInt8](repeating: 0, count: room), to: filler)
    }

    /// Removes the file.
    package func free() { _ = unsafe unlink(filler) }
}

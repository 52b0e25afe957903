import CPlatform
import PatchbayCore
import StorageSQLite

/// A file system of a few megabytes in memory. Mounting it requires root.
final class SmallDisk: Sendable {
    private let folder: TestFolder
    let path: String

    init(megabytes: Int) throws {
        folder = try TestFolder()
        path = folder.path + "/disk"
        unsafe mkdir(path, 0o700)
        let output = TestFolder.shell("mount -t tmpfs -o size=\(megabytes)m tmpfs '\(path)' 2>&1")
        if !output.isEmpty { throw MountFailure(output: output) }
    }

    deinit { _ = TestFolder.shell("while umount -l '\(path)' 2>/dev/null; do :; done") }

    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        do {
            _ = try SmallDisk(megabytes: 1)
            return true
        } catch {
            return false
        }
    }()

    var database: String { path + "/test.sqlite" }

    var names: [String] { Folder.names(in: path) ?? [] }

    var databaseBytes: Int {
        var status = stat()
        return unsafe stat(database, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Fills the disk, except for the given number of KiB.
    func fill(leavingKiB: Int) {
        let room = "$(( $(df -k --output=avail '\(path)' | tail -1) - \(leavingKiB) ))"
        _ = TestFolder.shell("head -c \(room)K /dev/zero > '\(path)/filler'")
    }

    func free() { unsafe unlink(path + "/filler") }
}

struct MountFailure: Error { let output: String }

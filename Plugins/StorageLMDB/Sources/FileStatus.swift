import CLMDB
import CPlatform
import PatchbayCore

/// The status of a file or folder.
struct FileStatus {
    /// Identifies a file independently of its path.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    private var status = stat()

    /// Fails when the path does not exist.
    ///
    /// - Parameter isLinkFollowed: false to read the status of a link itself.
    init?(path: String, isLinkFollowed: Bool = true) throws {
        let code = unsafe isLinkFollowed ? stat(path, &status) : lstat(path, &status)
        if code != 0, errno == ENOENT { return nil }
        guard code == 0 else { throw PatchbayError.system(errno, "cannot open \"\(path)\"") }
    }

    /// - Parameter path: for the message.
    init(descriptor: Int32, path: String) throws {
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw PatchbayError.system(errno, "cannot open \"\(path)\"")
        }
    }

    var bytes: Int { Int(status.st_size) }
    /// Less than the length for a file with holes.
    var bytesOnDisk: Int { Int(status.st_blocks) * 512 }
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    /// Whether it is a regular file.
    var isFile: Bool { status.st_mode & S_IFMT == S_IFREG }
    /// Whether it is a regular file without a second name (hard link).
    var isOwnFile: Bool { isFile && status.st_nlink == 1 }
    /// The permissions.
    var mode: mode_t { status.st_mode & 0o777 }
    var identity: Identity { Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)) }
}

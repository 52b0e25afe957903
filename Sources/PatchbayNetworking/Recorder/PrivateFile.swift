#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

// All C calls and unsafe code of the module. Each line says why it holds.

/// A regular file, open for reading and writing and locked against other recorders.
final class PrivateFile {
    private let descriptor: CInt
    private let path: String
    /// Whether this recorder made the file, so that it may write to it: nobody else's file has this one's bytes.
    let isOwn: Bool

    /// Opens a file that exists, not through a symbolic link, and locks it.
    ///
    /// - Throws: `busy` when another process, or another recorder of this one, has locked it;
    ///   `invalidConfiguration` when it is not a regular file.
    init(existing path: String) throws {
        self.path = path
        isOwn = false
        descriptor = try FileSystem.opened(path)
        guard try status().st_mode & S_IFMT == S_IFREG else { throw FileSystem.inTheWay(path) }
        guard isLocked() else { throw Self.busy(path) }
    }

    /// Makes a new file that only its owner may read, and locks it.
    ///
    /// - Parameters:
    ///   - newPath: a name that nothing has.
    ///   - path: the recording that the file is for, as messages call it.
    init(new newPath: String, for path: String) throws {
        self.path = path
        isOwn = true
        descriptor = try FileSystem.retrying("write", path) {
            open(newPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        // Another recorder that starts now may look at the file before it is locked, and take it for left over.
        guard isLocked(), try status().st_nlink == 1 else { throw Self.busy(path) }
        // The mode of `open` loses the bits of the process's umask.
        try change(mode: 0o600)
    }

    static func busy(_ path: String) -> PatchbayError {
        PatchbayError(.busy, "another recorder writes to \"\(path)\"; wait for it, or use another path")
    }

    /// Whether the file is this object's alone now. The lock belongs to the file and goes when it is closed, however
    /// the process ends.
    private func isLocked() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    deinit {
        // Closing alone would leave the lock to a child process that is just being started.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    func byteCount() throws -> Int { try Int(status().st_size) }

    /// Reads up to `count` bytes; fewer where the file ends.
    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let size = try bytes.withUnsafeMutableBytes { buffer in
            // Holds: reads into the buffer at most as much as it has room for.
            try FileSystem.retrying("read", path) {
                CInt(clamping: unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset)))
            }
        }
        return Array(bytes.prefix(Int(size)))
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let size = try bytes.withUnsafeBytes { buffer in
                // Holds: `done` is less than the buffer's length, and the rest of it is written at most.
                try FileSystem.retrying("write", path) {
                    CInt(
                        clamping: unsafe pwrite(
                            descriptor, buffer.baseAddress! + done, min(buffer.count - done, 1 << 30),
                            off_t(offset + done)))
                }
            }
            done += Int(size)
        }
    }

    func empty() throws { _ = try FileSystem.retrying("empty", path) { ftruncate(descriptor, 0) } }

    /// Gives the file the permissions of another one of the same owner; one of somebody else decides nothing.
    func takePermissions(of other: PrivateFile) throws {
        let status = try other.status()
        if status.st_uid == geteuid() { try change(mode: status.st_mode & 0o777) }
    }

    private func change(mode: mode_t) throws {
        _ = try FileSystem.retrying("change", path) { fchmod(descriptor, mode) }
    }

    private func status() throws -> stat {
        var status = stat()
        // Holds: fstat fills the variable, which lives across the call.
        _ = try FileSystem.retrying("look at", path) { unsafe fstat(descriptor, &status) }
        return status
    }
}

/// What is done with files by their path.
enum FileSystem {
    /// Runs a call again while signals interrupt it.
    ///
    /// - Throws: an error that names the call, the file and what is wrong.
    static func retrying(_ verb: String, _ path: String, _ call: () -> CInt) throws -> CInt {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw error(errno, verb, path) }
        }
    }

    /// Opens a file itself, not what a symbolic link leads to, without waiting for the other end of a pipe.
    static func opened(_ path: String) throws -> CInt {
        try retrying("open", path) { open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
    }

    /// Whether anything has this path, also a symbolic link that leads nowhere.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        // Holds: lstat fills the variable, which lives across the call.
        return unsafe lstat(path, &status) == 0
    }

    /// Removes a file that a recorder left behind: a regular file of this user that no recorder has locked.
    ///
    /// - Returns: false when a recorder that still runs has locked it.
    static func isCleared(leftover path: String) -> Bool {
        // What cannot be opened so is none of ours.
        guard let descriptor = try? opened(path) else { return true }
        defer { close(descriptor) }
        var status = stat()
        // Holds: fstat fills the variable, which lives across the call.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { return true }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        remove(path)
        return true
    }

    /// Sixteen random hexadecimal digits.
    static func randomName() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The error for something that is not a regular file where the recording should be.
    static func inTheWay(_ path: String) -> PatchbayError {
        var status = stat()
        // Holds: lstat fills the variable, which lives across the call. What it cannot look at has no kind.
        let kind = unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
        let name =
            switch kind {
            case S_IFLNK: "a symbolic link; record into the file that it leads to"
            case S_IFDIR: "a folder; name a file in it"
            case S_IFIFO: "a named pipe; record into a file"
            default: "not a regular file; record into another one"
            }
        return PatchbayError(.invalidConfiguration, "\"\(path)\" is \(name)")
    }

    /// Gives a file a new name; a file that had it is gone.
    static func rename(_ path: String, to newPath: String) throws {
        _ = try retrying("rename", path) { renameFile(path, newPath) }
    }

    /// Gives a file a new name; false where that cannot be.
    static func isRenamed(_ path: String, to newPath: String) -> Bool { renameFile(path, newPath) == 0 }

    /// Gives a file a second name; false where that cannot be.
    static func link(_ path: String, as newPath: String) -> Bool { linkFile(path, newPath) == 0 }

    /// Takes a name away; nothing happens when it is none.
    static func remove(_ path: String) { unlink(path) }

    private static func error(_ code: CInt, _ verb: String, _ path: String) -> PatchbayError {
        // Holds: strerror returns a C string that lives until the thread's next call.
        let reason = unsafe String(cString: strerror(code)).lowercased()
        if code == ELOOP || code == EISDIR || code == ENXIO { return inTheWay(path) }
        let sentence = "cannot \(verb) the recording \"\(path)\": \(reason)"
        return switch code {
        case _ where DiskSpace.isUsedUp(code):
            PatchbayError(.storageFull, sentence + "; make room or record elsewhere")
        case EACCES, EPERM, EROFS:
            PatchbayError(.permissionDenied, sentence + "; change the permissions or record elsewhere")
        case ENOENT, ENOTDIR:
            PatchbayError(.invalidConfiguration, sentence + "; create the folder or record elsewhere")
        default: PatchbayError(.internalError, sentence)
        }
    }
}

/// The C functions under names that differ from the methods above.
private func renameFile(_ path: String, _ newPath: String) -> CInt { rename(path, newPath) }
private func linkFile(_ path: String, _ newPath: String) -> CInt { link(path, newPath) }

import CPlatform
import PatchbayCore

// All C calls and unsafe code of the module. A comment at each use explains why it is safe.

/// A regular file, open for reading and writing and locked against other recorders.
final class PrivateFile {
    private let descriptor: CInt
    private let path: String
    /// Whether this recorder created the file and so may write to it, because no other program's file shares its bytes.
    let isOwn: Bool

    /// Opens an existing file, but not through a symbolic link, and locks it.
    ///
    /// - Throws: `busy` when another recorder, in this process or another, has locked it; `invalidConfiguration` when
    ///   it is not a regular file.
    init(existing path: String) throws {
        self.path = path
        isOwn = false
        descriptor = try FileSystem.opened(path)
        guard try status().st_mode & S_IFMT == S_IFREG else { throw FileSystem.inTheWay(path) }
        guard isLocked() else { throw Self.busy(path) }
    }

    /// Creates a file that only its owner may read, and locks it.
    ///
    /// - Parameters:
    ///   - newPath: an unused name.
    ///   - path: the path of the recording, for messages.
    init(new newPath: String, for path: String) throws {
        self.path = path
        isOwn = true
        descriptor = try FileSystem.retrying("write", path) {
            unsafe open(newPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        // A recorder that starts at this moment may find the file before it is locked and remove it as a leftover.
        guard isLocked(), try status().st_nlink == 1 else { throw Self.busy(path) }
        // The umask clears bits of the mode that `open` was given.
        try change(mode: 0o600)
    }

    static func busy(_ path: String) -> PatchbayError {
        PatchbayError(.busy, "another recorder writes to \"\(path)\"; wait for it, or use another path")
    }

    /// Tries to lock the file for this object alone. The lock ends when the file is closed, however the process ends.
    private func isLocked() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    deinit {
        // Closing alone would leave the lock to a child process that is just being started.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Reads up to `count` bytes; fewer at the end of the file.
    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let size = try unsafe bytes.withUnsafeMutableBytes { buffer in
            // Safe: reads at most `count` bytes, the size of the buffer.
            try FileSystem.retrying("read", path) {
                CInt(clamping: unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset)))
            }
        }
        return Array(bytes.prefix(Int(size)))
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let size = try unsafe bytes.withUnsafeBytes { buffer in
                // Safe: `done` is less than the buffer's length, and at most the rest of the buffer is written.
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

    /// Copies the permissions of another file if this user owns it.
    func takePermissions(of other: PrivateFile) throws {
        let status = try other.status()
        if status.st_uid == geteuid() { try change(mode: status.st_mode & 0o777) }
    }

    private func change(mode: mode_t) throws {
        _ = try FileSystem.retrying("change", path) { fchmod(descriptor, mode) }
    }

    private func status() throws -> stat {
        var status = stat()
        // Safe: fstat fills the variable, which lives across the call.
        _ = try FileSystem.retrying("look at", path) { unsafe fstat(descriptor, &status) }
        return status
    }
}

/// Operations on files by path.
enum FileSystem {
    /// Repeats a call while signals interrupt it.
    ///
    /// - Throws: an error that names the call, the file and the reason.
    static func retrying(_ verb: String, _ path: String, _ call: () -> CInt) throws -> CInt {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw error(errno, verb, path) }
        }
    }

    /// Opens a file without following a symbolic link and without waiting for the other end of a pipe.
    static func opened(_ path: String) throws -> CInt {
        try retrying("open", path) { unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
    }

    /// Whether anything exists at the path, including a dangling symbolic link.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        // Safe: lstat fills the variable, which lives across the call.
        return unsafe lstat(path, &status) == 0
    }

    /// Removes a recorder's leftover: a regular file of this user that no recorder has locked.
    ///
    /// - Returns: false when a running recorder has locked it.
    static func isCleared(leftover path: String) -> Bool {
        // A file that cannot be opened in this way is not a recorder's.
        guard let descriptor = try? opened(path) else { return true }
        defer { close(descriptor) }
        var status = stat()
        // Safe: fstat fills the variable, which lives across the call.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { return true }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        remove(path)
        return true
    }

    /// Sixteen random hexadecimal digits.
    static func randomName() -> String { UInt64.random(in: .min ... .max).hexadecimal }

    /// Returns the error for a path that is not a regular file.
    static func inTheWay(_ path: String) -> PatchbayError {
        var status = stat()
        // Safe: lstat fills the variable, which lives across the call. The kind is 0 when it fails.
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

    /// Renames a file and replaces an existing one.
    static func rename(_ path: String, to newPath: String) throws {
        _ = try retrying("rename", path) { renameFile(path, newPath) }
    }

    /// Renames a file; returns false when that fails.
    static func isRenamed(_ path: String, to newPath: String) -> Bool { renameFile(path, newPath) == 0 }

    /// Gives a file a second name; returns false when that fails.
    static func link(_ path: String, as newPath: String) -> Bool { linkFile(path, newPath) == 0 }

    /// Removes a name; a missing name is not an error.
    static func remove(_ path: String) { unsafe unlink(path) }

    private static func error(_ number: CInt, _ verb: String, _ path: String) -> PatchbayError {
        if number == ELOOP || number == EISDIR || number == ENXIO { return inTheWay(path) }
        let code = PatchbayError.Code(systemError: number)
        let advice =
            switch code {
            case .storageFull: "make room or record elsewhere"
            case .permissionDenied: "change the permissions or record elsewhere"
            case .notFound: "create the folder or record elsewhere"
            default: "record elsewhere"
            }
        // The path is the setting source.record.
        let isUnsuitable = [.notFound, .invalidValue].contains(code)
        return PatchbayError(
            isUnsuitable ? .invalidConfiguration : code,
            "cannot \(verb) the recording \"\(path)\": \(PatchbayError.systemWords(number)); \(advice)")
    }
}

/// The C functions, under names that do not clash with the methods above.
private func renameFile(_ path: String, _ newPath: String) -> CInt { unsafe rename(path, newPath) }
private func linkFile(_ path: String, _ newPath: String) -> CInt { unsafe link(path, newPath) }

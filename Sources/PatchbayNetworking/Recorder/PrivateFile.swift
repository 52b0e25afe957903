#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

// All C calls and unsafe code of the module. Each line says why it holds.

/// A file that only its owner may read, open for reading and writing.
final class PrivateFile {
    private let descriptor: CInt
    private let path: String

    /// Opens a file and locks it; makes an empty one when there is none.
    ///
    /// - Throws: `busy` when another process, or another recorder of this one, has locked it.
    init(_ path: String) throws {
        self.path = path
        descriptor = try FileSystem.retrying("open", path) {
            open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        }
        // The lock belongs to the file and goes when it is closed, however the process ends.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw PatchbayError(
                .busy, "another recorder writes to \"\(path)\"; wait for it, or use another path")
        }
        guard try status().st_mode & S_IFMT == S_IFREG else {
            throw PatchbayError(
                .invalidConfiguration, "\"\(path)\" is no file that a recording can be written to")
        }
    }

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

    /// Gives the file the permissions of another.
    func takePermissions(of other: PrivateFile) throws {
        let mode = try other.status().st_mode & 0o777
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

    /// Whether there is a file of this path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The path without symbolic links; the same when there is nothing yet.
    static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        // Holds: realpath made the text for its caller, who frees it.
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
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

import Glibc
import Patchbay
import Synchronization

/// The open file, locked against other processes.
final class JournalFile: Sendable {
    static let header = Array("append-only 1\n".utf8)
    static let bytesMax = 1 << 30

    private let descriptor: Int32
    private let path: String
    private let isDurable: Bool
    private let end = Mutex(0)

    /// - Throws: `busy` when another storage has the file open, `invalidConfiguration`, `permissionDenied`.
    init(path: String, durability: Durability, mayWrite: Bool) throws {
        self.path = path
        isDurable = durability == .full
        descriptor = open(path, (mayWrite ? O_RDWR : O_RDONLY) | O_CLOEXEC)
        guard descriptor >= 0 else { throw JournalFile.error(errno, path, "cannot be opened") }
        guard flock(descriptor, (mayWrite ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw JournalFile.error(code, path, "cannot be locked")
        }
        end.withLock { $0 = Int(lseek(descriptor, 0, SEEK_END)) }
    }

    /// Creates a file with these bytes. It is written under a temporary name and linked to its own once it is on the
    /// disk.
    static func make(_ path: String, _ bytes: [UInt8]) throws {
        let aside = "\(path).\(UInt32.random(in: 0...(.max)))"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(errno, path, "cannot be created") }
        defer {
            Glibc.close(descriptor)
            unlink(aside)
        }
        errno = ENOSPC  // an incomplete write means that the disk is full
        guard bytes.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count,
            fsync(descriptor) == 0, link(aside, path) == 0 || errno == EEXIST
        else { throw error(errno, path, "cannot be created") }
    }

    var length: Int { end.withLock { $0 } }

    func contents() throws -> [UInt8] {
        guard length <= JournalFile.bytesMax else {
            throw PatchbayError(.unsupported, "\"\(path)\" has more than \(JournalFile.bytesMax) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: length)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + count, $0.count - count, off_t(count))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw JournalFile.error(errno, path, "cannot be read") }
            count += got
        }
        return bytes
    }

    /// Whether the file was removed, or its path names another one.
    private var isRemoved: Bool {
        var opened = stat(), named = stat()
        guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0 else { return errno == ENOENT }
        return opened.st_ino != named.st_ino || opened.st_dev != named.st_dev
    }

    /// Appends bytes. If that fails, the file stays unchanged.
    ///
    /// - Throws: `storageFull`, `notFound` when the file was removed or replaced, or another error of the system.
    func append(_ bytes: [UInt8]) throws {
        if isRemoved { throw StoragePlace.removed(path) }
        let start = length
        guard start + bytes.count <= JournalFile.bytesMax else {
            throw PatchbayError(
                .storageFull,
                "\"\(path)\" would have more than \(JournalFile.bytesMax) bytes; copy it to another storage")
        }
        do {
            try write(bytes, at: start)
            if isDurable, fdatasync(descriptor) != 0 {
                throw JournalFile.error(errno, path, "cannot be written to the disk")
            }
            end.withLock { $0 = start + bytes.count }
        } catch {
            // If this fails too, the next opening cuts off the incomplete frame.
            _ = ftruncate(descriptor, off_t(start))
            throw error
        }
    }

    private func write(_ bytes: [UInt8], at start: Int) throws {
        var count = 0
        while count < bytes.count {
            let put = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + count, $0.count - count, off_t(start + count))
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw JournalFile.error(errno, path, "cannot be written") }
            count += put
        }
    }

    /// Truncates the file to a position.
    func cut(to position: Int) throws {
        guard position < length else { return }
        guard ftruncate(descriptor, off_t(position)) == 0 else {
            throw JournalFile.error(errno, path, "cannot be truncated")
        }
        end.withLock { $0 = position }
    }

    /// Closes the file and releases its lock.
    func close() { Glibc.close(descriptor) }

    private static func error(_ code: Int32, _ path: String, _ problem: String) -> PatchbayError {
        let kind: PatchbayError.Code =
            switch code {
            case EWOULDBLOCK: .busy
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOSPC, EDQUOT, EFBIG: .storageFull
            case ENOENT, ENOTDIR, EISDIR: .invalidConfiguration
            default: .internalError
            }
        let reason =
            kind == .busy
            ? "it is open already, in this process or another" : String(cString: strerror(code)).lowercased()
        return PatchbayError(kind, "\"\(path)\" \(problem): \(reason)")
    }
}

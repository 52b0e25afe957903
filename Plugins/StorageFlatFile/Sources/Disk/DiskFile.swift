// The C library's file calls, each with its interruptions and short transfers handled.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// An open file. Closing happens when the last user lets go, so a reader of an older snapshot keeps a
/// replaced file.
final class DiskFile: Sendable {
    enum Access { case read, readWrite, create, createOrKeep }

    let path: String
    private let descriptor: Int32
    private let disk: Disk

    /// - Parameters:
    ///   - access: `create` empties a file that is there, `createOrKeep` does not.
    ///   - finalPath: the name that the file will take, for messages; its own when nil.
    init(_ path: String, _ access: Access, _ disk: Disk, becoming finalPath: String? = nil) throws {
        try disk.before(access == .read || access == .readWrite ? .open : .create, path)
        let flags =
            switch access {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT | O_TRUNC
            case .createOrKeep: O_RDWR | O_CREAT
            }
        self.path = finalPath ?? path
        self.disk = disk
        // 0644, less what the umask takes away.
        descriptor = try Disk.retrying("open", path) { open(path, flags | O_CLOEXEC, 0o644) }
    }

    deinit { close(descriptor) }

    func byteCount() throws -> Int {
        var status = stat()
        _ = try Disk.retrying("read the size of", path) { fstat(descriptor, &status) }
        return Int(status.st_size)
    }

    /// Reads up to `count` bytes to `memory`, which must have room for them; fewer only at the end of the
    /// file.
    func read(_ count: Int, at offset: Int, into memory: UnsafeMutableRawPointer) throws -> Int {
        var done = 0
        while done < count {
            let step = pread(descriptor, memory + done, count - done, off_t(offset + done))
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { throw Disk.error(errno, "read", path) }
            if step == 0 { break }
            done += step
        }
        return done
    }

    func write(_ bytes: RawSpan, at offset: Int) throws {
        try disk.before(.write, path)
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let step = pwrite(
                    descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { throw Disk.error(step < 0 ? errno : ENOSPC, "write", path) }
                done += step
            }
        }
    }

    /// Waits until the bytes and the length are on the disk.
    func sync() throws {
        try disk.before(.sync, path)
        _ = try Disk.retrying("sync", path) { fdatasync(descriptor) }
    }

    func truncate(to byteCount: Int) throws {
        try disk.before(.truncate, path)
        _ = try Disk.retrying("truncate", path) { ftruncate(descriptor, off_t(byteCount)) }
    }

    /// Takes the lock that the kernel frees when the process ends; false when another holds it.
    func lock() throws -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            throw Disk.error(errno, "lock", path)
        }
        return true
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Maps the file, which is not empty, for reading. The map outlives the file, until ``unmap(_:)``.
    func map(_ byteCount: Int) throws -> UnsafeRawPointer {
        let address = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw Disk.error(errno, "map", path) }
        return UnsafeRawPointer(address)
    }

    static func unmap(_ address: UnsafeRawPointer, _ byteCount: Int) {
        munmap(UnsafeMutableRawPointer(mutating: address), byteCount)
    }
}

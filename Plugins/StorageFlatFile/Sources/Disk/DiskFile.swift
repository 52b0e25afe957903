// The C library's file calls, each with its interruptions and short transfers handled.

import CPlatform
import PatchbayCore

/// An open file. It is closed when the last reference to it ends, so a reader of an older snapshot keeps a replaced
/// file.
final class DiskFile: Sendable {
    /// `create` fails when the file exists; `createOrKeep` opens an existing file or creates it.
    enum Access {
        case read, readWrite, create, createOrKeep

        var flags: Int32 {
            switch self {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .createOrKeep: O_RDWR | O_CREAT
            }
        }
    }

    /// For messages.
    let path: String
    private let descriptor: Int32
    private let disk: Disk

    /// - Parameter descriptor: the descriptor of an open file; this object closes it.
    init(_ descriptor: Int32, _ path: String, _ disk: Disk) {
        self.descriptor = descriptor
        self.path = path
        self.disk = disk
    }

    deinit { close(descriptor) }

    func byteCount() throws -> Int { try status().bytes }

    /// Whether the file has been unlinked.
    func isRemoved() throws -> Bool { try status().links == 0 }

    /// Refuses anything but a regular file that only this folder contains.
    ///
    /// - Throws: `invalidConfiguration` for a folder, pipe or device, and for a file with a second name (hard link)
    ///   that is to be written.
    func check(_ access: Access) throws {
        let status = try status()
        guard status.kind == .file else {
            throw PatchbayError(
                .invalidConfiguration, "\"\(path)\" is not a regular file; move it away or set another path")
        }
        guard access == .read || status.links <= 1 else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" has a second name (hard link), whose file a write would change; "
                    + "put a copy of the file in its place")
        }
    }

    private func status() throws -> FileStatus {
        if let status = FileStatus(descriptor: descriptor) { return status }
        throw Disk.error(errno, "look at", path)
    }

    /// Reads up to `count` bytes to `memory`, which must have room for them; fewer only at the end of the
    /// file.
    func read(_ count: Int, at offset: Int, into memory: UnsafeMutableRawPointer) throws -> Int {
        var done = 0
        while done < count {
            let step = unsafe pread(descriptor, memory + done, count - done, off_t(offset + done))
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { throw Disk.error(errno, "read", path) }
            if step == 0 { break }
            done += step
        }
        return done
    }

    /// Reads `count` bytes; nil when the file ends before them.
    func read(_ count: Int, at offset: Int) throws -> ByteBuffer? {
        let buffer = ByteBuffer(capacity: count)
        buffer.count = try unsafe read(count, at: offset, into: buffer.base)
        return buffer.count == count ? buffer : nil
    }

    func write(_ bytes: RawSpan, at offset: Int) throws {
        try disk.before(.write, path)
        try unsafe bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let step = unsafe pwrite(
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

    /// Takes the lock, which the kernel frees when the process ends; false when another process or storage holds it.
    func lock() throws -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            throw Disk.error(errno, "lock", path)
        }
        return true
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }
}

import PatchbayCore
import PatchbaySystem

/// An open file. It is closed when the last reference to it ends, so a reader of an older snapshot keeps a replaced
/// file.
final class DiskFile: Sendable {
    /// For messages.
    let path: String
    private let file: OpenFile
    private let disk: Disk
    /// The size of the file when it was opened.
    let openedBytes: Int
    private let isWritable: Bool

    /// Refuses anything but a regular file that only this folder contains.
    ///
    /// - Throws: `invalidConfiguration` for a folder, pipe or device, and for a file with a second name (hard link)
    ///   that is to be written.
    init(_ file: OpenFile, _ path: String, _ disk: Disk, _ access: OpenFile.Access) throws {
        self.file = file
        self.path = path
        self.disk = disk
        isWritable = access != .reading
        openedBytes = try DiskFile.checked(file, path, access).bytes
    }

    func byteCount() throws -> Int { try status().bytes }

    /// The size of a file to which this process has not written. Only the owner of the lock opens it for writing, so
    /// that it is still the size at its opening; for a reader it may have grown.
    func unwrittenByteCount() throws -> Int { isWritable ? openedBytes : try byteCount() }

    private static func checked(
        _ file: OpenFile, _ path: String, _ access: OpenFile.Access
    ) throws -> FileStatus {
        let status = try Disk.reporting("look at", path, file.status)
        guard status.kind == .file else {
            throw PatchbayError(
                .invalidConfiguration, "\"\(path)\" is not a regular file; move it away or set another path")
        }
        guard access == .reading || status.links <= 1 else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" has a second name (hard link), whose file a write would change; "
                    + "put a copy of the file in its place")
        }
        return status
    }

    func status() throws -> FileStatus {
        try Disk.reporting("look at", path, file.status)
    }

    /// Reads up to `count` bytes to `memory`, which must have room for them; fewer only at the end of the
    /// file.
    func read(_ count: Int, at offset: Int, into memory: UnsafeMutableRawPointer) throws -> Int {
        try Disk.reporting("read", path) { () throws(SystemError) in
            try unsafe file.read(count, at: offset, into: memory)
        }
    }

    /// Reads `count` bytes; nil when the file ends before them.
    func read(_ count: Int, at offset: Int) throws -> ByteBuffer? {
        let buffer = ByteBuffer(capacity: count)
        buffer.count = try unsafe read(count, at: offset, into: buffer.base)
        return buffer.count == count ? buffer : nil
    }

    func write(_ bytes: RawSpan, at offset: Int) throws {
        try disk.before(.write, path)
        do throws(SystemError) {
            try file.write(bytes, at: offset)
        } catch {
            throw Disk.error(error, "write", path)
        }
    }

    /// Waits until the bytes and the length are on the disk.
    func sync() throws {
        try disk.before(.sync, path)
        try Disk.reporting("sync", path, file.syncData)
    }

    func truncate(to byteCount: Int) throws {
        try disk.before(.truncate, path)
        try Disk.reporting("truncate", path) { () throws(SystemError) in try file.truncate(to: byteCount) }
    }

    /// Takes the lock, which the kernel frees when the process ends; false when another process or storage holds it.
    func lock() throws -> Bool {
        try Disk.reporting("lock", path) { () throws(SystemError) in try file.lock() }
    }

    func unlock() { file.unlock() }
}

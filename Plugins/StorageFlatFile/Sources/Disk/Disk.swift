// The C library's calls about names: files and folders as a whole.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// The disk below a storage, and the place where a test lets an operation fail.
struct Disk: Sendable {
    enum Operation: Sendable {
        case open, create, write, sync, truncate, rename, remove, makeFolder, syncFolder
    }

    enum Kind { case nothing, file, folder }

    /// Runs before each operation that changes the disk or opens a file; what it throws, the operation
    /// throws.
    var before: @Sendable (Operation, String) throws -> Void = { _, _ in }

    func kind(of path: String) throws -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .nothing }
            throw Disk.error(errno, "look at", path)
        }
        return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
    }

    /// Whether a name is in use, be it by a link that leads nowhere.
    func isTaken(_ path: String) throws -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw Disk.error(errno, "look at", path) }
        return false
    }

    /// What a file takes on the disk.
    func bytesOnDisk(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Disk.error(errno, "look at", path) }
        return Int(status.st_blocks) * 512
    }

    /// The names in a folder, without `.` and `..`.
    func names(in folder: String) throws -> [String] {
        guard let stream = opendir(folder) else { throw Disk.error(errno, "list", folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // The name is a C string inside the entry, which is valid until the next call.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes a folder that must not be there yet.
    func makeFolder(_ path: String) throws {
        try before(.makeFolder, path)
        _ = try Disk.retrying("create the folder", path) { mkdir(path, 0o755) }
    }

    func rename(_ path: String, to newPath: String) throws {
        try before(.rename, newPath)
        _ = try Disk.retrying("rename", path) { renameat(AT_FDCWD, path, AT_FDCWD, newPath) }
    }

    func remove(_ path: String) throws {
        try before(.remove, path)
        _ = try Disk.retrying("remove", path) { unlink(path) }
    }

    /// Removes an empty folder.
    func removeFolder(_ path: String) throws {
        try before(.remove, path)
        _ = try Disk.retrying("remove", path) { rmdir(path) }
    }

    /// Makes the names in a folder durable: what was created, renamed or removed.
    func syncFolder(_ path: String) throws {
        try before(.syncFolder, path)
        let descriptor = try Disk.retrying("open", path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(descriptor) }
        _ = try Disk.retrying("sync", path) { fsync(descriptor) }
    }

    /// Runs a call again while a signal interrupts it.
    static func retrying(_ verb: String, _ path: String, _ call: () -> Int32) throws -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw error(errno, verb, path) }
        }
    }

    static func error(_ number: Int32, _ verb: String, _ path: String) -> PatchbayError {
        let reason = String(cString: strerror(number))
        switch number {
        case ENOSPC, EDQUOT, EFBIG:
            return PatchbayError(.storageFull, "could not \(verb) \"\(path)\": \(reason); free some space")
        case EACCES, EPERM, EROFS:
            return PatchbayError(
                .permissionDenied,
                "could not \(verb) \"\(path)\": \(reason); change its permissions or set another path")
        case EMFILE, ENFILE:
            return PatchbayError(.internalError, "could not \(verb) \"\(path)\": \(reason); close some files")
        default:
            return PatchbayError(.internalError, "could not \(verb) \"\(path)\": \(reason); check the disk")
        }
    }

    static var processIdentifier: Int32 { getpid() }
}

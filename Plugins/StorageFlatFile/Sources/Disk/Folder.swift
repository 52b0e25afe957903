// The C library's calls on names: files and folders as a whole.

import CPlatform
import PatchbayCore

/// An open folder, whose files are reached by their names alone.
///
/// No link is followed, so that a folder from another person, such as a checkout, cannot direct a write or a removal
/// elsewhere.
final class Folder: Sendable {
    /// As it was given, without slashes at the end; for messages.
    let path: String
    let disk: Disk
    private let descriptor: Int32

    /// Opens a folder by its path. Links in the path are followed, because the user chose it.
    init(_ path: String, _ disk: Disk) throws {
        self.path = path
        self.disk = disk
        descriptor = try Disk.retrying("open", path) {
            unsafe openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
    }

    private init(_ name: String, in parent: Folder) throws {
        let path = parent.path(name), parentDescriptor = parent.descriptor
        self.path = path
        disk = parent.disk
        descriptor = try Disk.retrying("open the folder", path) {
            unsafe openat(parentDescriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    deinit { close(descriptor) }

    /// Whether the folder was removed, or its path names another one.
    var hasGone: Bool {
        guard let status = FileStatus(at: path) else { return errno == ENOENT }
        return status.identity != identity
    }

    var identity: FileStatus.Identity? { FileStatus(descriptor: descriptor)?.identity }

    func path(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// A folder in this one.
    func folder(_ name: String) throws -> Folder { try Folder(name, in: self) }

    /// Creates a folder; fails when the name is taken.
    func makeFolder(_ name: String) throws -> Folder {
        try disk.before(.makeFolder, path(name))
        _ = try Disk.retrying("create the folder", path(name)) { unsafe mkdirat(descriptor, name, 0o700) }
        return try folder(name)
    }

    /// Opens a file. A file that is to be created replaces one that a crash left.
    ///
    /// - Parameter finalName: the name that the file will be given later, for messages; nil when it keeps its name.
    func open(_ name: String, _ access: DiskFile.Access, becoming finalName: String? = nil) throws -> DiskFile
    {
        let isNew = access == .create
        try disk.before(isNew || access == .createOrKeep ? .create : .open, path(name))
        if isNew, try kind(name) != nil { try remove(name) }
        // Without O_NONBLOCK, opening a pipe of this name would wait for its other end.
        let flags = access.flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = try Disk.retrying("open", path(name)) { unsafe openat(descriptor, name, flags, 0o600) }
        let file = DiskFile(opened, path(finalName ?? name), disk)
        try file.check(access)
        return file
    }

    /// Returns nil when it does not exist.
    func kind(_ name: String) throws -> FileStatus.Kind? { try status(name)?.kind }

    /// Returns nil when it does not exist.
    func status(_ name: String) throws -> FileStatus? {
        if let status = FileStatus(at: name, in: descriptor, isLinkFollowed: false) { return status }
        guard errno == ENOENT else { throw Disk.error(errno, "look at", path(name)) }
        return nil
    }

    /// The names in the folder, without `.` and `..`.
    func names() throws -> [String] {
        if let names = PatchbayCore.Folder.names(in: descriptor) { return names }
        throw Disk.error(errno, "list", path)
    }

    func rename(_ name: String, to newName: String) throws {
        try disk.before(.rename, path(newName))
        _ = try Disk.retrying("rename", path(name)) { unsafe renameat(descriptor, name, descriptor, newName) }
    }

    func remove(_ name: String) throws {
        try disk.before(.remove, path(name))
        _ = try Disk.retrying("remove", path(name)) { unsafe unlinkat(descriptor, name, 0) }
    }

    /// Removes a folder with everything in it.
    func removeFolder(_ name: String) throws {
        let folder = try folder(name)
        for name in try folder.names() {
            try folder.kind(name) == .folder ? folder.removeFolder(name) : folder.remove(name)
        }
        try disk.before(.remove, path(name))
        _ = try Disk.retrying("remove", path(name)) { unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }
    }

    /// Makes creations, renamings and removals in the folder durable.
    func sync() throws {
        try disk.before(.syncFolder, path)
        _ = try Disk.retrying("sync", path) { fsync(descriptor) }
    }

    /// Replaces a small file atomically: after a crash it has either the old or the new content.
    func replace(_ name: String, with content: ByteBuffer, isSynced: Bool) throws {
        let unfinished = name + FileName.unfinished
        let file = try open(unfinished, .create)
        try content.withBytes { try file.write($0, at: 0) }
        if isSynced { try file.sync() }
        try rename(unfinished, to: name)
        if isSynced { try sync() }
    }
}

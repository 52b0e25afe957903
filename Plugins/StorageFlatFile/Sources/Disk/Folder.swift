import PatchbayCore
import PatchbaySystem

/// An open folder, whose files are reached by their names alone.
///
/// No link is followed, so that a folder from another person, such as a checkout, cannot direct a write or a removal
/// elsewhere.
final class Folder: Sendable {
    /// As it was given, without slashes at the end; for messages.
    let path: String
    let disk: Disk
    private let folder: OpenFile

    /// Opens a folder by its path. Links in the path are followed, because the user chose it.
    init(_ path: String, _ disk: Disk) throws {
        self.path = path
        self.disk = disk
        folder = try Disk.reporting("open", path) { () throws(SystemError) in
            try OpenFile(path, .folder, isLinkFollowed: true)
        }
    }

    private init(_ name: String, in parent: Folder) throws {
        let path = parent.path(name)
        self.path = path
        disk = parent.disk
        folder = try Disk.reporting("open the folder", path) { () throws(SystemError) in
            try OpenFile(name, .folder, in: parent.folder)
        }
    }

    /// Whether the folder was removed, or its path names another one.
    var isRemoved: Bool {
        do throws(SystemError) {
            return try FileStatus.of(path)?.identity != identity
        } catch {
            return false
        }
    }

    var identity: FileStatus.Identity? { FileStatus(descriptor: folder.descriptor)?.identity }

    func path(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// A folder in this one.
    func folder(_ name: String) throws -> Folder { try Folder(name, in: self) }

    /// Creates a folder; fails when the name is taken.
    func makeFolder(_ name: String) throws -> Folder {
        try disk.before(.makeFolder, path(name))
        try Disk.reporting("create the folder", path(name)) { () throws(SystemError) in
            try folder.makeFolder(name)
        }
        return try self.folder(name)
    }

    /// Opens a file. A file that is to be created replaces one that a crash left.
    ///
    /// - Parameter finalName: the name that the file will be given later, for messages; nil when it keeps its name.
    func open(_ name: String, _ access: OpenFile.Access, becoming finalName: String? = nil) throws -> DiskFile
    {
        let isNew = access == .creating, path = path(name)
        try disk.before(isNew || access == .creatingIfMissing ? .create : .open, path)
        if isNew, try kind(name) != nil { try remove(name) }
        let opened = try Disk.reporting("open", path) { () throws(SystemError) in
            try OpenFile(name, access, in: folder)
        }
        return try DiskFile(opened, finalName.map(self.path) ?? path, disk, access)
    }

    /// Returns nil when it does not exist.
    func kind(_ name: String) throws -> FileStatus.Kind? { try status(name)?.kind }

    /// Returns nil when it does not exist.
    func status(_ name: String) throws -> FileStatus? {
        try Disk.reporting("look at", path(name)) { () throws(SystemError) in try folder.status(of: name) }
    }

    /// The names in the folder, without `.` and `..`.
    func names() throws -> [String] {
        try Disk.reporting("list", path, folder.names)
    }

    func rename(_ name: String, to newName: String) throws {
        try disk.before(.rename, path(newName))
        try Disk.reporting("rename", path(name)) { () throws(SystemError) in
            try folder.rename(name, to: newName)
        }
    }

    func remove(_ name: String) throws {
        try disk.before(.remove, path(name))
        try Disk.reporting("remove", path(name)) { () throws(SystemError) in try folder.remove(name) }
    }

    /// Removes a folder with everything in it.
    func removeFolder(_ name: String) throws {
        let inner = try self.folder(name)
        for name in try inner.names() {
            try inner.kind(name) == .folder ? inner.removeFolder(name) : inner.remove(name)
        }
        try disk.before(.remove, path(name))
        try Disk.reporting("remove", path(name)) { () throws(SystemError) in try folder.removeFolder(name) }
    }

    /// Makes creations, renamings and removals in the folder durable.
    func sync() throws {
        try disk.before(.syncFolder, path)
        try Disk.reporting("sync", path, folder.sync)
    }

    /// Replaces a small file atomically: after a crash it has either the old or the new content.
    func replace(_ name: String, with content: ByteBuffer, isSynced: Bool) throws {
        let unfinished = name + FileName.unfinished
        let file = try open(unfinished, .creating)
        try content.withBytes { try file.write($0, at: 0) }
        if isSynced { try file.sync() }
        try rename(unfinished, to: name)
        if isSynced { try sync() }
    }
}

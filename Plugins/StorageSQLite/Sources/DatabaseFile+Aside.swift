import PatchbayCore
import CPlatform
import PatchbaySystem

/// Creating a file next to its final name.
extension DatabaseFile {
    /// Creates an empty file in the same folder, for a database that gets its name when it is complete. Only its
    /// owner may read it.
    func createUnnamed() throws -> DatabaseFile {
        let number = String(UInt64.random(in: 0...(.max)), radix: 36)
        let aside = try inFolder(".patchbay-\(number)")
        let descriptor = unsafe open(
            aside.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        close(descriptor)
        return aside
    }

    /// Renames the file to `target`, unless that name is taken.
    ///
    /// - Returns: false when the name is taken.
    func moveToNew(_ target: DatabaseFile) throws -> Bool {
        if unsafe link(path, target.path) == 0 {
            remove()
            return true
        }
        if errno == EEXIST { return false }
        // The file system has no hard links. Between the check and the move, another process could create the file.
        guard errno == EPERM || errno == EOPNOTSUPP else { throw target.failure(errno) }
        if try target.status("") != nil { return false }
        try move(to: target)
        return true
    }

    /// Removes the file and every file that SQLite may have created next to it.
    func removeAll() { for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) } }

    /// Creates an empty file with the suffix added to its name, in the same folder.
    ///
    /// - Parameter original: the file whose permissions are copied, so that private data stays private. The owner may
    ///   write the new file, even if the original is write-protected.
    func createAside(_ suffix: String, permissionsOf original: DatabaseFile) throws -> DatabaseFile {
        guard let status = FileStatus(at: original.path) else { throw original.failure(errno) }
        let aside = try inFolder(name + suffix)
        aside.remove()
        let mode = status.mode | UInt32(S_IWUSR)
        let descriptor = unsafe open(
            aside.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // `open` applied the process's umask.
        guard fchmod(descriptor, mode) == 0 else { throw failure(errno) }
        return aside
    }

    var name: Substring {
        path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    }

    /// Returns another file in the same folder, by a path without symbolic links.
    func inFolder(_ name: String) throws -> DatabaseFile {
        let folder = try DatabaseFile(path: folder).resolved().path
        return DatabaseFile(path: folder == "/" ? "/" + name : folder + "/" + name)
    }

    /// Waits until the file's bytes are on the disk.
    func synchronize() throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(errno) }
    }

    func move(to target: DatabaseFile) throws {
        guard unsafe rename(path, target.path) == 0 else { throw target.failure(errno) }
    }

    /// Removes the file if it exists.
    func remove() { unsafe unlink(path) }

    /// The existing files among the database, its log and the log's index.
    func files() throws -> [StorageDescription.File] {
        try ["", "-wal", "-shm"].compactMap { suffix in
            try status(suffix).map { .init(path: path + suffix, bytes: $0.bytesOnDisk) }
        }
    }
}

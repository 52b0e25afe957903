import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Making a file beside its final name.
extension DatabaseFile {
    /// Throws `conflict` when a file, folder or link has the name, `invalidConfiguration` when the path is
    /// none.
    func checkIsFree() throws {
        var status = stat()
        if !path.isEmpty, !path.utf8.contains(0), unsafe lstat(path, &status) == 0 {
            throw PatchbayError(
                .conflict, "\"\(path)\" exists already; remove it or set another path", ["file": path])
        }
        _ = try StoragePlace(at: path)
        try StoragePlace.checkMayBeMade(at: path)
    }

    /// Creates an empty file in the same folder, for a database that gets its name when it is whole. Only its owner may
    /// read it.
    func createUnnamed() throws -> DatabaseFile {
        let number = String(UInt64.random(in: 0...(.max)), radix: 36)
        let aside = try inFolder(".patchbay-\(number)")
        let descriptor = unsafe open(
            aside.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        close(descriptor)
        return aside
    }

    /// Gives the file its name, unless something else has it.
    ///
    /// - Returns: false when the name is taken.
    func moveToNew(_ target: DatabaseFile) throws -> Bool {
        if unsafe link(path, target.path) == 0 {
            remove()
            return true
        }
        if errno == EEXIST { return false }
        // A file system without links. In the moment between the two, another process could make the file.
        guard errno == EPERM || errno == EOPNOTSUPP else { throw target.failure(errno) }
        if try target.stamp("") != nil { return false }
        try move(to: target)
        return true
    }

    /// Removes the file with all that SQLite may have put beside it.
    func removeAll() { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }

    /// Creates an empty file of another name in the same folder.
    ///
    /// - Parameter original: whose permissions it gets; what is private stays private.
    func createAside(_ suffix: String, permissionsOf original: DatabaseFile) throws -> DatabaseFile {
        var status = stat()
        guard unsafe stat(original.path, &status) == 0 else { throw original.failure(errno) }
        let aside = try inFolder(name + suffix)
        aside.remove()
        let descriptor = unsafe open(
            aside.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, status.st_mode & 0o777)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // Whatever the process's mask leaves out.
        guard fchmod(descriptor, status.st_mode & 0o777) == 0 else { throw failure(errno) }
        return aside
    }

    private var name: Substring { path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...] }

    /// Another file of the same folder, by a path without links.
    private func inFolder(_ name: String) throws -> DatabaseFile {
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
        guard rename(path, target.path) == 0 else { throw target.failure(errno) }
    }

    /// Removes the file; one that is not there is no error.
    func remove() { unlink(path) }

    /// The database, its log and the log's index, as far as they are there.
    func files() throws -> [StorageDescription.File] {
        try ["", "-wal", "-shm"].compactMap { suffix in
            var status = stat()
            guard unsafe stat(path + suffix, &status) == 0 else {
                guard errno == ENOENT else { throw failure(errno) }
                return nil
            }
            return StorageDescription.File(path: path + suffix, bytes: Int(status.st_blocks) * 512)
        }
    }
}

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
        if path.isEmpty || path.utf8.contains(0) { throw refused("is not a path") }
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            throw PatchbayError(
                .conflict, "\"\(path)\" exists already; remove it or set another path", ["file": path])
        }
        guard errno == ENOENT else { throw failure(errno) }
        try checkFolder()
    }

    /// Creates an empty file of another name in the same folder.
    ///
    /// - Parameter original: whose permissions it gets; what is private stays private.
    func createAside(_ suffix: String, permissionsOf original: DatabaseFile) throws -> DatabaseFile {
        var status = stat()
        guard unsafe stat(original.path, &status) == 0 else { throw original.failure(errno) }
        let aside = DatabaseFile(path: path + suffix)
        aside.remove()
        let descriptor = unsafe open(
            aside.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o777)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // Whatever the process's mask leaves out.
        guard fchmod(descriptor, status.st_mode & 0o777) == 0 else { throw failure(errno) }
        return aside
    }

    /// Waits until the file's bytes are on the disk.
    func synchronize() throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
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

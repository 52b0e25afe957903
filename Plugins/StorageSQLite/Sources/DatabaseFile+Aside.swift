import PatchbayCore
import PatchbaySystem

/// Creating a file next to its final name.
extension DatabaseFile {
    /// Creates an empty file in the same folder, for a database that gets its name when it is complete. Only its
    /// owner may read it.
    func createUnnamed() throws -> DatabaseFile {
        let number = String(UInt64.random(in: 0...(.max)), radix: 36)
        let aside = try inFolder(".patchbay-\(number)")
        try reporting { () throws(SystemError) in _ = try OpenFile(aside.path, .creating) }
        return aside
    }

    /// Renames the file to `target`, unless that name is taken.
    ///
    /// - Returns: false when the name is taken.
    func moveToNew(_ target: DatabaseFile) throws -> Bool {
        do throws(SystemError) {
            try FileSystem.link(path, as: target.path)
            remove()
            return true
        } catch  where error == .taken {
            return false
        } catch  where error == .notPermitted || error == .notSupported {
            // The file system has no hard links. Between the check and the move, another process could create the file.
            if try target.status("") != nil { return false }
            try move(to: target)
            return true
        } catch {
            throw target.failure(error.number)
        }
    }

    /// Removes the file and every file that SQLite may have created next to it.
    func removeAll() {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(path + suffix) }
    }

    /// Creates an empty file with the suffix added to its name, in the same folder.
    ///
    /// - Parameter original: the file whose permissions are copied, so that private data stays private. The owner may
    ///   write the new file, even if the original is write-protected.
    func createAside(_ suffix: String, permissionsOf original: DatabaseFile) throws -> DatabaseFile {
        guard let status = FileStatus(at: original.path) else {
            throw original.failure(SystemError.last.number)
        }
        let aside = try inFolder(name + suffix)
        aside.remove()
        try reporting { () throws(SystemError) in
            try OpenFile(aside.path, .creating).setMode(status.mode | 0o200)
        }
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
        try reporting { () throws(SystemError) in try OpenFile(path, .reading).sync() }
    }

    func move(to target: DatabaseFile) throws {
        try target.reporting { () throws(SystemError) in try FileSystem.rename(path, to: target.path) }
    }

    /// Removes the file if it exists.
    func remove() { try? FileSystem.remove(path) }

    /// Runs a call on the file.
    private func reporting(_ call: () throws(SystemError) -> Void) throws {
        do throws(SystemError) {
            try call()
        } catch {
            throw failure(error.number)
        }
    }

    /// The existing files among the database, its log and the log's index.
    func files() throws -> [StorageDescription.File] {
        try ["", "-wal", "-shm"].compactMap { suffix in
            try status(suffix).map { .init(path: path + suffix, bytes: $0.bytesOnDisk) }
        }
    }
}

import PatchbayCore
import PatchbaySystem

/// The database file as the file system sees it, before SQLite opens it.
struct DatabaseFile {
    let path: String

    /// The application id "PtcB" in the header of every database that Patchbay creates.
    static let applicationID = 0x5074_6342

    /// The ends of the names of the log, its index and the journal.
    static let suffixesBeside = ["-wal", "-shm", "-journal"]

    /// The size of SQLite's smallest page.
    private static let bytesMin = 512

    /// The maximum length of a path without symbolic links. SQLite's own limit is 504 bytes, and the names of copies
    /// and new files beside the database are up to 24 bytes longer.
    private static let pathBytesMax = 480

    /// Returns whether there is a file at the path that may be a database.
    ///
    /// - Throws: `corrupted` for an empty file, `invalidConfiguration` for a folder, a file that is too short, or a
    ///   name that leaves no room for those of the log and the journal.
    func isThere() throws -> Bool {
        // Checked before the database, because a process that creates one creates its log afterwards.
        let left = try ["-wal", "-journal"].first { try status($0).map { $0.bytes > 0 } ?? false }
        switch try StoragePlace(at: path) {
        case .folder:
            throw refused("is a folder; set the path of a file, or the storage that keeps folders")
        case .file(0):
            throw PatchbayError(
                .corrupted,
                "\"\(path)\" is empty, where a database should be; restore it from a copy, "
                    + "or remove it to start again", [.file(path)])
        case .file(let bytes) where bytes < DatabaseFile.bytesMin:
            throw refused(
                "is not an SQLite database, only \(bytes) bytes long; restore it or set another path")
        case .file: return true
        case .nothing:
            if let code = nameFault { throw failure(code) }
            guard let left else { return false }
            throw PatchbayError(
                .corrupted,
                "\"\(path)\(left)\" is there, but not the database that it belongs to; restore that, "
                    + "or remove that file to start again", [.file(path)])
        }
    }

    /// The system's error for the longest file name that SQLite creates next to the database, or nil if it is valid.
    private var nameFault: Int32? {
        do throws(SystemError) {
            _ = try FileStatus.of(path + "-journal", isLinkFollowed: false)
            return nil
        } catch {
            return error.number
        }
    }

    /// The path with symbolic links resolved, so that none can be redirected later.
    func resolved() throws -> DatabaseFile {
        do throws(SystemError) {
            return DatabaseFile(path: try FileSystem.resolved(path))
        } catch {
            throw failure(error.number)
        }
    }

    /// Throws `invalidConfiguration` when the path, in which symbolic links are resolved, is too long for SQLite.
    func checkLength() throws {
        guard path.utf8.count <= DatabaseFile.pathBytesMax else {
            throw refused(
                "has \(path.utf8.count) bytes; a path for SQLite may have \(DatabaseFile.pathBytesMax); "
                    + "set a shorter one")
        }
    }

    /// Throws `invalidConfiguration` when the name of a log, its index or a journal is a symbolic link or has other
    /// hard links, because SQLite would overwrite its target.
    func checkNamesBeside() throws {
        for suffix in DatabaseFile.suffixesBeside {
            guard let status = FileStatus(at: path + suffix, isLinkFollowed: false) else { continue }
            guard status.kind == .file, status.links == 1 else {
                throw DatabaseFile(path: path + suffix).refused(
                    "is a link, or not a file of its own, and SQLite would write to it; move it away")
            }
        }
    }

    /// Returns the file system's metadata of the database, or of a file next to it, or nil when it does not exist.
    func status(_ suffix: String) throws -> FileStatus? {
        do throws(SystemError) {
            return try FileStatus.of(path + suffix)
        } catch  where error == .noFolder || error == .nameTooLong {
            return nil
        } catch {
            throw failure(error.number)
        }
    }

    /// The metadata of the log; nil when it has no pages. A writer that was killed may leave only the header, which is
    /// written first, beside an index of the log that says nothing; SQLite then waits for that writer.
    var log: FileStatus? {
        get throws { try status("-wal").flatMap { $0.bytes > Self.logHeaderBytes ? $0 : nil } }
    }

    private static let logHeaderBytes = 32

    /// Throws `invalidConfiguration` when the file is not an SQLite database, or belongs to another program.
    ///
    /// Another program's database is never opened for writing, because SQLite would replay that program's log.
    func checkOwner() throws {
        let pageBytes: Int
        do {
            let look = try Connection(lookingAt: path)
            // A process killed while it moved the log into the database leaves a file shorter than its header says,
            // until SQLite moves the log again. Without this pragma the check, which ignores the log, would report
            // damage.
            try look.execute("PRAGMA writable_schema = ON")
            switch try look.integer("PRAGMA application_id") {
            case DatabaseFile.applicationID: pageBytes = try look.integer("PRAGMA page_size")
            // A database without tables, of any program, has only its first page.
            case 0 where try look.integer("PRAGMA page_count") <= 1: return
            default: throw foreign
            }
        } catch let error as PatchbayError where error.code == .corrupted {
            throw refused("is not an SQLite database; it was left as it is; set another path")
        }
        try checkSize(pageBytes)
    }

    /// Throws `corrupted` when the file ends inside its last page, because SQLite would read zeros in place of the
    /// rest. SQLite itself reports missing pages.
    private func checkSize(_ pageBytes: Int) throws {
        // While there is a log or a journal, the file may be incomplete: another process is writing it, or was killed.
        guard try ["-wal", "-journal"].allSatisfy({ try status($0).map { $0.bytes == 0 } ?? true }) else {
            return
        }
        guard let bytes = try status("")?.bytes, pageBytes > 0, Int(bytes) % pageBytes != 0 else { return }
        throw PatchbayError(
            .corrupted,
            "\"\(path)\" has \(bytes) bytes, which is not a multiple of its page size of \(pageBytes), so its end is "
                + "missing; restore it from a copy", [.file(path)])
    }

    /// Makes the file's name durable after it was created.
    func synchronizeFolder() throws {
        do throws(SystemError) {
            try OpenFile(folder, .folder, isLinkFollowed: true).sync()
        } catch  where error == .invalid {
            // File systems that cannot flush a folder return it.
        } catch {
            throw failure(error.number)
        }
    }

    /// The error for a database that another program made.
    var foreign: PatchbayError {
        refused("is an SQLite database of another program; it was left as it is; set another path")
    }

    var folder: String { FileSystem.parent(of: path) }

    func refused(_ why: String) -> PatchbayError { StoragePlace.refused(path, why) }

    func failure(_ systemError: Int32) -> PatchbayError { StoragePlace.failure(path, systemError) }
}

/// Creating a file next to its final name.
extension DatabaseFile {
    /// The beginning of the name of a database that is not complete.
    private static let unnamedMark = ".patchbay-"

    /// Creates an empty file in the same folder, for a database that gets its name when it is complete. Only its
    /// owner may read it. Removes those of processes that were killed before that.
    func createUnnamed() throws -> DatabaseFile {
        let mark = Self.unnamedMark, number = String(UInt32.random(in: 0...(.max)), radix: 36)
        let aside = try inFolder(mark + ProcessName.current.fileWord + "-" + number)
        for name in FileSystem.names(in: aside.folder) ?? [] where name.hasPrefix(mark) {
            if ProcessName.hasEnded(namer: name.dropFirst(mark.count)) { try inFolder(name).remove() }
        }
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
        for suffix in [""] + DatabaseFile.suffixesBeside { try? FileSystem.remove(path + suffix) }
    }

    /// Creates the file, empty, and returns it by a path without symbolic links. An existing file is removed.
    ///
    /// - Parameter original: the file whose permissions are copied, so that private data stays private. The owner may
    ///   write the new file, even if the original is write-protected.
    func created(withPermissionsOf original: DatabaseFile) throws -> DatabaseFile {
        guard let status = FileStatus(at: original.path) else {
            throw original.failure(SystemError.last.number)
        }
        let aside = try inFolder(String(name))
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

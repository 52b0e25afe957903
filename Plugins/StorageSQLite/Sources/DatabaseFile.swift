import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file as the file system knows it, before SQLite sees it.
struct DatabaseFile {
    let path: String

    /// "PtcB", in the header of every database that Patchbay made.
    static let applicationID = 0x5074_6342

    /// No database is shorter than its smallest page.
    private static let bytesMin = 512

    /// Whether a file is there that may be a database.
    ///
    /// - Throws: `corrupted` for an empty file, `invalidConfiguration` for a folder, a file that is too short, or a
    ///   name that leaves no room for those of the log and the journal.
    func isThere() throws -> Bool {
        // Looked for first: who makes the database makes its log later.
        let left = try ["-wal", "-journal"].first { try stamp($0).map { $0.bytes > 0 } ?? false }
        switch try StoragePlace(at: path) {
        case .folder:
            throw refused("is a folder; set the path of a file, or the storage that keeps folders")
        case .file(0):
            throw PatchbayError(
                .corrupted,
                "\"\(path)\" is empty, where a database should be; restore it from a copy, "
                    + "or remove it to begin anew", ["file": path])
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
                    + "or remove what is left to begin anew", ["file": path])
        }
    }

    /// What the system says of the longest name that SQLite makes beside the file, when it cannot be.
    private var nameFault: Int32? {
        var status = stat()
        if unsafe lstat(path + "-journal", &status) == 0 || errno == ENOENT { return nil }
        return errno
    }

    /// The path without links, so that none can be put in its way later.
    func resolved() throws -> DatabaseFile {
        guard let real = unsafe realpath(path, nil) else { throw failure(errno) }
        defer { unsafe free(real) }
        return DatabaseFile(path: unsafe String(cString: real))
    }

    /// Throws `invalidConfiguration` when something has the name of a log, its index or a journal that is a link, or
    /// has another name too: SQLite would write over it.
    func checkNamesBeside() throws {
        for suffix in ["-wal", "-shm", "-journal"] {
            var status = stat()
            guard unsafe lstat(path + suffix, &status) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
                throw DatabaseFile(path: path + suffix).refused(
                    "is a link, or no file of its own, where SQLite would write; move it away")
            }
        }
    }

    /// What the file system says of the database, or of a file beside it; nil when it is not there.
    func stamp(_ suffix: String) throws -> FileStamp? {
        var status = stat()
        guard unsafe stat(path + suffix, &status) == 0 else {
            guard [ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno) else { throw failure(errno) }
            return nil
        }
        return FileStamp(
            device: UInt64(status.st_dev), number: UInt64(status.st_ino), bytes: Int(status.st_size),
            seconds: Int(status.st_mtim.tv_sec), nanoseconds: Int(status.st_mtim.tv_nsec))
    }

    /// Throws `invalidConfiguration` when the file is not SQLite, or another program's database.
    ///
    /// Nothing is opened for good that is not ours: SQLite would finish what another program left in its log.
    func checkOwner() throws {
        do {
            let look = try Connection(lookingAt: path)
            // A kill while the log was moved into the file leaves it shorter than its header says, until SQLite moves
            // the log again. Without this the look, which reads no log, would take it for damaged.
            try look.execute("PRAGMA writable_schema = ON")
            switch try look.integer("PRAGMA application_id") {
            case DatabaseFile.applicationID: return
            // Anybody's database without a table: its first page is its only one.
            case 0 where try look.integer("PRAGMA page_count") <= 1: return
            default: throw foreign
            }
        } catch let error as PatchbayError where error.code == .corrupted {
            throw refused("is not an SQLite database; it was left as it is; set another path")
        }
    }

    /// Makes the file's name durable after it was created.
    func synchronizeFolder() throws {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // A file system that cannot flush a folder says EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(errno) }
    }

    /// The error for a database that another program made.
    var foreign: PatchbayError {
        refused("is an SQLite database of another program; it was left as it is; set another path")
    }

    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func refused(_ why: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, "\"\(path)\" \(why)", ["file": path])
    }

    func failure(_ systemError: Int32) -> PatchbayError {
        let reason = unsafe String(cString: strerror(systemError))
        switch systemError {
        case EACCES, EPERM, EROFS:
            return PatchbayError(
                .permissionDenied, "\"\(path)\" cannot be reached; check its permissions and its folder's",
                ["file": path, "system": reason])
        case ENOTDIR, ENAMETOOLONG, ELOOP: return refused("is not a usable path: \(reason)")
        case ENOSPC, EDQUOT, EFBIG:
            return PatchbayError(
                .storageFull, "there is no room for \"\(path)\"; free some space",
                ["file": path, "system": reason])
        default:
            return PatchbayError(.internalError, "\"\(path)\" cannot be reached: \(reason)", ["file": path])
        }
    }
}

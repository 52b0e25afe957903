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

    /// Whether the file is missing or empty, so that a database may be made there.
    ///
    /// - Throws: `invalidConfiguration` when something else is there or the folder is not,
    ///   `permissionDenied`.
    func isNew() throws -> Bool {
        if path.isEmpty || path.utf8.contains(0) { throw refused("is not a path") }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(errno) }
            try checkFolder()
            return true
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status.st_size == 0
        case S_IFDIR: throw refused("is a folder; set the path of a file, or the storage that keeps folders")
        default: throw refused("is not a file")
        }
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

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func checkFolder() throws {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else {
            guard errno == ENOENT else { throw failure(errno) }
            throw PatchbayError(
                .invalidConfiguration,
                "the folder \"\(folder)\" does not exist; create it or set another path",
                ["file": path])
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw refused("lies in \"\(folder)\", which is not a folder")
        }
        guard unsafe access(folder, W_OK | X_OK) == 0 else { throw failure(errno) }
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

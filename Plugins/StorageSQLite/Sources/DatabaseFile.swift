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
    /// Nothing is opened that is not ours: SQLite would finish what another program left in its log.
    ///
    /// - Throws: `invalidConfiguration` when something else is there, or the folder is not; `permissionDenied`.
    func isNew() throws -> Bool {
        if path.isEmpty || path.utf8.contains(0) { throw refused("is not a path") }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(errno) }
            try checkFolder()
            return true
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw refused("is a folder; set the path of a file in it")
        default: throw refused("is not a file")
        }
        if status.st_size == 0 { return true }
        try checkHeader()
        return false
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

    private func checkFolder() throws {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else {
            guard errno == ENOENT else { throw failure(errno) }
            throw PatchbayError(
                .invalidConfiguration, "the folder \"\(folder)\" does not exist; create it or set another path",
                ["file": path])
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw refused("lies in \"\(folder)\", which is not a folder") }
    }

    private func checkHeader() throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = unsafe pread(descriptor, &header, header.count, 0)
        guard count >= 0 else { throw failure(errno) }
        guard count == header.count, header.starts(with: "SQLite format 3\0".utf8) else {
            throw refused("is not an SQLite database; it was left as it is; set another path")
        }
        let applicationID = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
        let pageCount = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
        if applicationID == DatabaseFile.applicationID { return }
        // Made by us or anybody, but without tables: its first page is its only one.
        guard applicationID == 0, pageCount <= 1 else { throw foreign }
    }

    private func refused(_ why: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, "\"\(path)\" \(why)", ["file": path])
    }

    private func failure(_ systemError: Int32) -> PatchbayError {
        let reason = unsafe String(cString: strerror(systemError))
        switch systemError {
        case EACCES, EPERM, EROFS:
            return PatchbayError(
                .permissionDenied, "\"\(path)\" cannot be reached; check its permissions and its folder's",
                ["file": path, "system": reason])
        case ENOTDIR, ENAMETOOLONG, ELOOP: return refused("is not a usable path: \(reason)")
        default: return PatchbayError(.internalError, "\"\(path)\" cannot be reached: \(reason)", ["file": path])
        }
    }
}

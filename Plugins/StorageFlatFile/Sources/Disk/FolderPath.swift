#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// Where a storage's folder is, or is to be.
struct FolderPath: Sendable {
    let text: String
    let disk: Disk

    /// - Parameter path: the folder; slashes at its end do not count.
    init(_ path: String, _ disk: Disk) {
        let end = path.lastIndex { $0 != "/" }
        text = end.map { String(path[...$0]) } ?? path
        self.disk = disk
    }

    /// The same place with more at the end of its name.
    func appending(_ end: String) -> FolderPath { FolderPath(text + end, disk) }

    /// The last part of the path.
    var name: String {
        String(text[(text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex)...])
    }

    private var parentText: String {
        guard let slash = text.lastIndex(of: "/") else { return "." }
        return slash == text.startIndex ? "/" : String(text[..<slash])
    }

    /// Opens the folder.
    ///
    /// - Throws: `notFound` when nothing is there, `invalidConfiguration` when it is something else.
    func open() throws -> Folder {
        guard try isThere() else { throw PatchbayError.nothingStored(text, "is not there") }
        return try Folder(text, disk)
    }

    /// Opens the folder, which is made when it is missing.
    func openOrMake() throws -> Folder {
        if try !isThere() {
            let parent = try openParent()
            do { _ = try parent.makeFolder(name) } catch {
                // Another process may have made it at this moment.
                guard try parent.kind(name) == .folder else { throw error }
            }
        }
        return try Folder(text, disk)
    }

    /// Opens the folder that this one is in.
    ///
    /// - Throws: `invalidConfiguration` when there is none.
    func openParent() throws -> Folder {
        switch try FolderPath.mode(of: parentText) {
        case S_IFDIR: return try Folder(parentText, disk)
        case nil:
            throw PatchbayError(
                .invalidConfiguration,
                "the folder \"\(parentText)\" does not exist; create it or set another path")
        default:
            throw PatchbayError(.invalidConfiguration, "\"\(parentText)\" is a file; set another path")
        }
    }

    /// Whether there is a folder at the path.
    private func isThere() throws -> Bool {
        switch try FolderPath.mode(of: text) {
        case S_IFDIR: return true
        case nil: break
        default:
            throw PatchbayError(
                .invalidConfiguration, "\"\(text)\" is a file; set the path of a folder")
        }
        var status = stat()
        if lstat(text, &status) == 0 {
            throw PatchbayError(
                .invalidConfiguration, "\"\(text)\" is a link that leads nowhere; set another path")
        }
        return false
    }

    /// What a path leads to; nil when that is nothing.
    private static func mode(of path: String) throws -> mode_t? {
        var status = stat()
        if stat(path, &status) == 0 { return status.st_mode & S_IFMT }
        guard errno == ENOENT || errno == ENOTDIR else { throw Disk.error(errno, "look at", path) }
        return nil
    }
}

extension PatchbayError {
    /// The error for a place where no storage is.
    static func nothingStored(_ path: String, _ reason: String) -> PatchbayError {
        PatchbayError(
            .notFound,
            "\"\(path)\" \(reason), so nothing is stored there; fetch something first or set another path",
            ["path": path])
    }
}

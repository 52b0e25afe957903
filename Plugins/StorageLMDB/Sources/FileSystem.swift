import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What folders and copies ask of the operating system.
enum FileSystem {
    /// The names in a folder, sorted.
    static func names(in path: String) throws -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOTDIR {
                throw PatchbayError(
                    .invalidConfiguration,
                    "\"\(path)\" is a file, where LMDB needs a folder; set another path")
            }
            throw PatchbayError.system(errno, "cannot open \"\(path)\"")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Brings a folder's names to the disk.
    static func sync(folder path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PatchbayError.system(errno, "cannot open \"\(path)\"") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw PatchbayError.system(errno, "cannot sync \"\(path)\"") }
    }

    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 else { throw PatchbayError.system(errno, "cannot create \"\(path)\"") }
    }

    /// A file that is not there is no error.
    static func removeFile(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw PatchbayError.system(errno, "cannot remove \"\(path)\"")
        }
    }

    /// Removes the folder of an environment, as far as it is there.
    ///
    /// - Throws: when the folder holds anything else, which stays.
    static func removeEnvironment(_ path: String) throws {
        for name in [Folder.dataFile, Folder.lockFile] { try removeFile(path + "/" + name) }
        guard rmdir(path) == 0 || errno == ENOENT else {
            throw PatchbayError.system(errno, "cannot remove \"\(path)\"")
        }
    }

    /// A path without the slashes at its end.
    static func trimmed(_ path: String) -> String {
        var rest = Substring(path)
        while rest.utf8.count > 1, rest.utf8.last == UInt8(ascii: "/") { rest.removeLast() }
        return String(rest)
    }

    /// The folder that a path lies in.
    static func parent(of path: String) -> String {
        let path = trimmed(path)
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

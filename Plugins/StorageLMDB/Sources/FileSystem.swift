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
    /// - Throws: when something else is there, or the folder holds anything else, which stays.
    static func removeEnvironment(_ path: String) throws {
        guard let status = try FileStatus(path: path, isLinkFollowed: false) else { return }
        guard status.isFolder else { throw inTheWay(path) }
        for name in [Folder.dataFile, Folder.lockFile] { try removeFile(path + "/" + name) }
        guard rmdir(path) == 0 || errno == ENOENT else {
            throw PatchbayError.system(errno, "cannot remove \"\(path)\"")
        }
    }

    /// Opens a file of an environment for reading.
    ///
    /// - Throws: `invalidConfiguration` for a link and for what is not a file, such as a pipe, which is not waited for.
    static func openForReading(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ELOOP { throw inTheWay(path) }
            throw PatchbayError.system(errno, "cannot open \"\(path)\"")
        }
        do {
            guard try FileStatus(descriptor: descriptor, path: path).isFile else { throw inTheWay(path) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens a lock.mdb, which LMDB will write over; makes it when it is not there.
    ///
    /// - Throws: `invalidConfiguration` for a link and for a file that has another name too, which stay as they are.
    static func openLockFile(_ path: String, named name: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if errno == ELOOP { throw inTheWay(name) }
            throw PatchbayError.system(errno, "cannot open \"\(name)\"")
        }
        do {
            guard try FileStatus(descriptor: descriptor, path: name).isOwnFile else { throw inTheWay(name) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// The error for what stands where LMDB would write, and is not its own.
    static func inTheWay(_ path: String) -> PatchbayError {
        PatchbayError(
            .invalidConfiguration,
            "\"\(path)\" is a link, or not what LMDB keeps there; it was left as it is; move it away",
            ["file": path])
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

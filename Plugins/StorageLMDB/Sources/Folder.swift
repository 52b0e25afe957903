import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder of an environment.
///
/// A new environment is made aside, in `creating/`, synced and renamed into place: a power cut leaves a
/// whole data.mdb or none.
struct Folder {
    private static let aside = "creating"
    private static let dataFile = "data.mdb"
    private static let lockFile = "lock.mdb"

    let path: String

    /// Sees to it that there is a data.mdb, which `create` makes in the folder it is given.
    ///
    /// - Throws: `invalidConfiguration` when the path is something else, which stays as it is.
    func prepare(_ create: (String) throws -> Void) throws {
        if try isReady() { return }
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw makingFault(errno) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw makingFault(errno) }
        defer { close(descriptor) }
        // One process at a time creates; the lock goes with the process.
        guard flock(descriptor, LOCK_EX) == 0 else { throw makingFault(errno) }
        if try isReady() { return }
        try makeAside(create)
        try sync(path)
        try sync(parent)
    }

    /// Whether data.mdb is there; false when the folder is missing or empty.
    private func isReady() throws -> Bool {
        guard try FileStatus(path: path) != nil else {
            try checkParent()
            return false
        }
        let names = try self.names(path)
        if names.contains(Folder.dataFile) { return true }
        if names.contains(Folder.lockFile) {
            throw PatchbayError(
                .corrupted,
                "the storage \"\(path)\" has lost its data.mdb; restore it from a copy, or delete the folder")
        }
        guard names.allSatisfy({ $0 == Folder.aside }) else {
            throw PatchbayError(
                .invalidConfiguration, "the folder \"\(path)\" holds something else; set another path")
        }
        return false
    }

    private func checkParent() throws {
        guard try FileStatus(path: parent) == nil else { return }
        throw PatchbayError(
            .invalidConfiguration, "the folder \"\(parent)\" does not exist; create it or set another path")
    }

    private func makeAside(_ create: (String) throws -> Void) throws {
        let aside = path + "/" + Folder.aside
        try clear(aside)
        guard mkdir(aside, 0o700) == 0 else { throw makingFault(errno) }
        do {
            try create(aside)
            // The file's name is on the disk before it moves: a rename of a name that is not could lose the file.
            try sync(aside)
            guard rename(aside + "/" + Folder.dataFile, path + "/" + Folder.dataFile) == 0 else {
                throw makingFault(errno)
            }
        } catch {
            try? clear(aside)  // the failure before says more
            throw error
        }
        try clear(aside)
    }

    /// Removes what a creation made, finished or not.
    private func clear(_ aside: String) throws {
        for name in [Folder.dataFile, Folder.lockFile]
        where unlink(aside + "/" + name) != 0 && errno != ENOENT {
            throw makingFault(errno)
        }
        if rmdir(aside) != 0, errno != ENOENT { throw makingFault(errno) }
    }

    // MARK: The file system

    private var parent: String {
        var rest = Substring(path)
        while rest.count > 1, rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/") else { return "." }
        return slash == rest.startIndex ? "/" : String(rest[..<slash])
    }

    private func names(_ path: String) throws -> [String] {
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
        return names
    }

    private func sync(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw makingFault(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw makingFault(errno) }
    }

    private func makingFault(_ code: Int32) -> PatchbayError {
        PatchbayError.system(code, "cannot create the storage \"\(path)\"")
    }
}

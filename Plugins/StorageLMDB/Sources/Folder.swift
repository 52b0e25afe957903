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
    static let dataFile = "data.mdb"
    static let lockFile = "lock.mdb"
    /// What a process that was killed may leave: a new environment, a compacted file, entries being sorted.
    private static let creating = "creating"
    private static let compacting = "compacting"
    private static let sorting = "sorting"
    private static let leftovers = [creating, compacting, sorting]

    let path: String

    var data: String { path + "/" + Folder.dataFile }
    /// Where a compacted data.mdb is written, before it takes the place of the old one.
    var compacted: String { path + "/" + Folder.compacting }
    /// Where entries that are being sorted lie.
    var sorted: String { path + "/" + Folder.sorting }

    /// Keeps other processes from opening or compacting the environment; the lock goes with the process.
    struct Lock {
        fileprivate let descriptor: Int32

        func end() { close(descriptor) }
    }

    /// Sees to it that there is a data.mdb, which `create` makes in the folder it is given, and that nothing
    /// is left of work that was killed.
    ///
    /// - Returns: the lock on the folder; `end` it when the environment is open.
    /// - Throws: `invalidConfiguration` when the path is something else, which stays as it is.
    func prepare(_ create: (String) throws -> Void) throws -> Lock {
        if try FileStatus(path: path) == nil {
            try checkParent()
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw makingFault(errno) }
        }
        // Before the lock, which a file that stands here would give too.
        _ = try FileSystem.names(in: path)
        let lock = try lock()
        do {
            let names = try FileSystem.names(in: path)
            if try isReady(names) {
                try clearLeftovers(names)
            } else {
                try makeAside(create)
            }
            return lock
        } catch {
            lock.end()
            throw error
        }
    }

    /// Waits until no other process opens or compacts the environment.
    func lock() throws -> Lock {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PatchbayError.system(errno, "cannot open \"\(path)\"") }
        guard flock(descriptor, LOCK_EX) == 0 else {
            let code = errno
            close(descriptor)
            throw PatchbayError.system(code, "cannot lock \"\(path)\"")
        }
        return Lock(descriptor: descriptor)
    }

    /// Whether data.mdb is there; false when the folder is empty.
    private func isReady(_ names: [String]) throws -> Bool {
        if names.contains(Folder.dataFile) { return true }
        if names.contains(Folder.lockFile) {
            throw PatchbayError(
                .corrupted,
                "the storage \"\(path)\" has lost its data.mdb; restore it from a copy, or delete the folder")
        }
        guard names.allSatisfy({ $0 == Folder.creating }) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the folder \"\(path)\" holds other files than LMDB's; set another path, or the storage of these"
            )
        }
        return false
    }

    private func checkParent() throws {
        let parent = FileSystem.parent(of: path)
        guard try FileStatus(path: parent) == nil else { return }
        throw PatchbayError(
            .invalidConfiguration, "the folder \"\(parent)\" does not exist; create it or set another path")
    }

    private func clearLeftovers(_ names: [String]) throws {
        for name in names where Folder.leftovers.contains(name) {
            if name == Folder.creating {
                try FileSystem.removeEnvironment(path + "/" + name)
            } else {
                try FileSystem.removeFile(path + "/" + name)
            }
        }
    }

    private func makeAside(_ create: (String) throws -> Void) throws {
        let aside = path + "/" + Folder.creating
        try FileSystem.removeEnvironment(aside)
        try FileSystem.makeFolder(aside)
        do {
            try create(aside)
            // The file's name is on the disk before it moves: a rename of one that is not could lose the file.
            try FileSystem.sync(folder: aside)
            guard rename(aside + "/" + Folder.dataFile, data) == 0 else { throw makingFault(errno) }
        } catch {
            try? FileSystem.removeEnvironment(aside)  // the failure before says more
            throw error
        }
        try FileSystem.removeEnvironment(aside)
        try FileSystem.sync(folder: path)
        try FileSystem.sync(folder: FileSystem.parent(of: path))
    }

    private func makingFault(_ code: Int32) -> PatchbayError {
        PatchbayError.system(code, "cannot create the storage \"\(path)\"")
    }
}

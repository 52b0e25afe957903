import CLMDB
import PatchbayCore

import CPlatform

/// The folder of an environment.
///
/// A new environment is created in `creating/`, synced and renamed into place, so that a power cut leaves a complete
/// data.mdb or none.
struct Folder {
    static let dataFile = "data.mdb"
    static let lockFile = "lock.mdb"
    /// The names that a killed process may leave: a new environment, a compacted file, entries being sorted.
    private static let creating = "creating"
    private static let compacting = "compacting"
    private static let sorting = "sorting"
    private static let leftovers = [creating, compacting, sorting]

    let path: String

    var data: String { path + "/" + Folder.dataFile }
    /// The path of a compacted data.mdb, before it replaces the old one.
    var compacted: String { path + "/" + Folder.compacting }
    /// The path of the file of entries that are being sorted.
    var sorted: String { path + "/" + Folder.sorting }

    /// Keeps other processes from opening or compacting the environment. The lock ends with the process.
    struct Lock {
        fileprivate let descriptor: Int32

        func end() { close(descriptor) }
    }

    /// Makes sure that data.mdb exists, and removes the leftovers of work that was killed.
    ///
    /// - Parameter create: creates a data.mdb in the given folder; nil when a missing one is not to be created.
    /// - Returns: the lock on the folder; call `end` when the environment is open.
    /// - Throws: `notFound`; `invalidConfiguration` when the path is anything else, which stays unchanged.
    func prepare(_ timeoutMilliseconds: Int, _ create: ((String) throws -> Void)?) throws -> Lock {
        let isMade = unsafe create != nil && mkdir(path, 0o700) == 0
        if create != nil, !isMade, errno != EEXIST { throw makingFault(errno) }
        do {
            let lock = try lock(timeoutMilliseconds)
            do {
                try prepareLocked(create)
                return lock
            } catch {
                lock.end()
                throw error
            }
        } catch {
            // This removes the folder only if it is empty.
            if isMade { unsafe rmdir(path) }
            throw error
        }
    }

    private func prepareLocked(_ create: ((String) throws -> Void)?) throws {
        let names = try FileSystem.names(in: path)
        if try isReady(names) { return try clearLeftovers(names) }
        guard let create else { throw StoragePlace.notFound(path) }
        try makeAside(create)
    }

    /// Waits until no other process opens or compacts the environment.
    ///
    /// - Parameter isShared: whether others may read at the same time.
    /// - Throws: `busy` when that takes longer than the time-out.
    func lock(_ timeoutMilliseconds: Int, isShared: Bool = false) throws -> Lock {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PatchbayError.system(errno, "cannot open \"\(path)\"") }
        let wait = LimitedWait(milliseconds: timeoutMilliseconds)
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR || code == EWOULDBLOCK && wait.pause() { continue }
            close(descriptor)
            guard code == EWOULDBLOCK else { throw PatchbayError.system(code, "cannot lock \"\(path)\"") }
            throw PatchbayError(
                .busy,
                "another process is opening, changing or compacting the storage \"\(path)\"; try again, end "
                    + "that process, or set a longer storage.busy-timeout-ms", [.file(path)])
        }
        return Lock(descriptor: descriptor)
    }

    /// Whether data.mdb exists; false when the folder is empty.
    func isReady() throws -> Bool { try isReady(FileSystem.names(in: path)) }

    private func isReady(_ names: [String]) throws -> Bool {
        if names.contains(Folder.dataFile) { return true }
        if names.contains(Folder.lockFile) {
            throw PatchbayError(
                .corrupted,
                "the storage \"\(path)\" has lost its data.mdb; restore it from a copy, or delete the folder")
        }
        guard try names.allSatisfy({ try $0 == Folder.creating && isFolder($0) }) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the folder \"\(path)\" contains files that are not LMDB's; set another path or another storage"
            )
        }
        return false
    }

    /// Removes the leftovers of killed processes. A file in place of a folder, or a folder in place of a file, is not
    /// ours and stays.
    private func clearLeftovers(_ names: [String]) throws {
        for name in names where Folder.leftovers.contains(name) {
            let isFolder = try isFolder(name)
            if isFolder != (name == Folder.creating) { continue }
            if isFolder {
                try FileSystem.removeEnvironment(path + "/" + name)
            } else {
                try FileSystem.removeFile(path + "/" + name)
            }
        }
    }

    private func isFolder(_ name: String) throws -> Bool {
        try FileStatus(path: path + "/" + name, isLinkFollowed: false)?.isFolder ?? false
    }

    /// Whether another process has the environment open.
    func isInUse() -> Bool {
        // Without a readable lock.mdb, locks cannot be seen.
        guard let descriptor = try? FileSystem.openForReading(path + "/" + Folder.lockFile) else {
            return false
        }
        defer { close(descriptor) }
        return patchbay_is_in_use(descriptor) != 0
    }

    private func makeAside(_ create: (String) throws -> Void) throws {
        let aside = path + "/" + Folder.creating
        try FileSystem.removeEnvironment(aside)
        try FileSystem.makeFolder(aside)
        do {
            try create(aside)
            // The file's name is synced before the rename, because otherwise the rename could lose the file.
            try FileSystem.sync(folder: aside)
            guard unsafe rename(aside + "/" + Folder.dataFile, data) == 0 else { throw makingFault(errno) }
        } catch {
            try? FileSystem.removeEnvironment(aside)  // the first error says more
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

import CLMDB
import PatchbayCore
import PatchbaySystem
import Synchronization

/// The folder of an environment.
///
/// A new or compacted data.mdb is written in `creating/`, synced and renamed into place, so that a power cut leaves a
/// complete data.mdb or none.
struct Folder {
    static let dataFile = "data.mdb"
    static let lockFile = "lock.mdb"
    /// The folder of a new data.mdb, which a killed process may leave.
    private static let creating = "creating"

    let path: String

    var data: String { path + "/" + Folder.dataFile }
    private var aside: String { path + "/" + Folder.creating }

    /// Runs `body` under the lock once data.mdb exists and the leftovers of work that was killed are removed.
    ///
    /// - Parameter create: creates a data.mdb in the given folder; nil when a missing one is not to be created.
    /// - Throws: `notFound`; `invalidConfiguration` when the path is anything else, which stays unchanged.
    func prepared<Result>(
        _ timeoutMilliseconds: Int, _ create: ((String) throws -> Void)?, _ body: () throws -> Result
    ) throws -> Result {
        let isMade = try create != nil && isNew()
        do {
            return try locked(timeoutMilliseconds) {
                if try isReady() {
                    // A file in place of the folder is not ours and stays.
                    if isFolder(Folder.creating) { try EnvironmentFiles.removeEnvironment(aside) }
                } else if let create {
                    try makeData(create)
                    try EnvironmentFiles.sync(folder: FileSystem.parent(of: path))
                } else {
                    throw StoragePlace.notFound(path)
                }
                return try body()
            }
        } catch {
            // This removes the folder only if it is empty.
            if isMade { try? FileSystem.removeFolder(path) }
            throw error
        }
    }

    /// Creates the folder; false if something exists at its path.
    private func isNew() throws -> Bool {
        do throws(SystemError) {
            try FileSystem.makeFolder(path)
            return true
        } catch  where error.isTaken {
            return false
        } catch {
            throw PatchbayError.system(error.number, "cannot create the storage \"\(path)\"")
        }
    }

    /// Runs `body` while no other process opens or compacts the environment. The lock ends with the process.
    ///
    /// - Parameter isShared: whether others may read at the same time.
    /// - Throws: `busy` when waiting for the lock takes longer than the time-out.
    func locked<Result>(
        _ timeoutMilliseconds: Int, isShared: Bool = false, _ body: () throws -> Result
    ) throws -> Result {
        let folder = try EnvironmentFiles.open(folder: path)
        defer { folder.unlock() }
        let isLocked = try waiting(upTo: timeoutMilliseconds) {
            try PatchbayError.reporting("cannot lock \"\(path)\"") { () throws(SystemError) in
                try folder.lock(isShared: isShared)
            }
        }
        guard isLocked else {
            throw PatchbayError(
                .busy,
                "another process is opening, changing or compacting the storage \"\(path)\"; try again, end "
                    + "that process, or set a longer storage.busy-timeout-ms", [.file(path)])
        }
        return try body()
    }

    /// Whether data.mdb exists; false when the folder is empty.
    func isReady() throws -> Bool {
        if FileSystem.isTaken(data) { return true }
        let names = try EnvironmentFiles.names(in: path)
        if names.contains(Folder.dataFile) { return true }
        if names.contains(Folder.lockFile) {
            throw PatchbayError(
                .corrupted,
                "the storage \"\(path)\" has lost its data.mdb; restore it from a copy, or delete the folder")
        }
        guard names.allSatisfy({ $0 == Folder.creating && isFolder($0) }) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the folder \"\(path)\" contains files that are not LMDB's; set another path or another storage"
            )
        }
        return false
    }

    private func isFolder(_ name: String) -> Bool { FileSystem.isFolder(path + "/" + name) }

    /// Whether another process has the environment open.
    func isInUse() -> Bool {
        // Without a readable lock.mdb, locks cannot be seen.
        guard let file = try? EnvironmentFiles.openForReading(path + "/" + Folder.lockFile) else {
            return false
        }
        return withExtendedLifetime(file) { patchbay_is_in_use(file.descriptor) != 0 }
    }

    /// Puts a new data.mdb in place, and replaces an old one.
    ///
    /// - Parameter create: creates it in the given folder.
    func makeData(_ create: (String) throws -> Void) throws {
        try EnvironmentFiles.makeEnvironment(aside, create) {
            try PatchbayError.reporting("cannot replace \"\(data)\"") { () throws(SystemError) in
                try FileSystem.rename(aside + "/" + Folder.dataFile, to: data)
            }
        }
        try EnvironmentFiles.removeEnvironment(aside)
        try EnvironmentFiles.sync(folder: path)
    }
}

/// The place of a folder among those that this process has open, for as long as the object exists.
///
/// LMDB's locks belong to the process, so opening an environment twice would silently break them. This list is the only
/// state that the storages of a process share.
final class OpenFolder: Sendable {
    private static let all = Mutex<[FileStatus.Identity]>([])

    let identity: FileStatus.Identity

    /// - Throws: `busy` when the folder is already open, by any path.
    init(_ path: String) throws {
        guard let identity = try FileStatus(path: path)?.identity else {
            throw StoragePlace.removed(path)
        }
        let isNew = OpenFolder.all.withLock { all in
            if all.contains(identity) { return false }
            all.append(identity)
            return true
        }
        guard isNew else { throw PatchbayError.storageIsOpen(path) }
        self.identity = identity
    }

    deinit { OpenFolder.all.withLock { $0.removeAll { $0 == identity } } }
}

extension FileStatus {
    /// Fails when the path does not exist.
    ///
    /// - Parameter isLinkFollowed: false to read the status of a link itself.
    init?(path: String, isLinkFollowed: Bool = true) throws {
        let status = try PatchbayError.reporting("cannot open \"\(path)\"") { () throws(SystemError) in
            try FileStatus.of(path, isLinkFollowed: isLinkFollowed)
        }
        guard let status else { return nil }
        self = status
    }

    /// - Parameter path: for the message.
    init(descriptor: Int32, path: String) throws {
        guard let status = FileStatus(descriptor: descriptor) else {
            throw PatchbayError.system(SystemError.last.number, "cannot open \"\(path)\"")
        }
        self = status
    }
}

/// Tries to take another process's lock in pauses that grow from 0.1 to 5 ms. Returns false when the limit is reached.
func waiting(upTo milliseconds: Int, _ isTaken: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    var microseconds: UInt32 = 100
    while try !isTaken() {
        guard ContinuousClock.now < end else { return false }
        SystemClock.sleep(microseconds: microseconds)
        microseconds = min(microseconds * 2, 5_000)
    }
    return true
}

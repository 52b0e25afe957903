import PatchbayCore
import PatchbaySystem
import Synchronization

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
            throw StoragePlace.hasGone(path)
        }
        let isNew = OpenFolder.all.withLock { all in
            if all.contains(identity) { return false }
            all.append(identity)
            return true
        }
        guard isNew else {
            throw PatchbayError(
                .busy, "the storage \"\(path)\" is already open in this process; share it or close it first")
        }
        self.identity = identity
    }

    deinit { OpenFolder.all.withLock { $0.removeAll { $0 == identity } } }
}

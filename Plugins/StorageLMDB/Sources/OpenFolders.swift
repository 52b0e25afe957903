import PatchbayCore
import Synchronization

/// The environments that this process has open. LMDB's locks belong to the process, so that opening one twice would
/// break them without a word; this is the one thing that all storages of a process must know of each other.
enum OpenFolders {
    private static let open = Mutex<Set<FileStatus.Identity>>([])

    /// A folder's place in the list; `end` gives it back.
    struct Registration: Sendable {
        fileprivate let identity: FileStatus.Identity

        func end() { OpenFolders.open.withLock { _ = $0.remove(identity) } }
    }

    /// - Throws: `busy` when the folder is open already, by whatever path.
    static func register(_ path: String) throws -> Registration {
        guard let identity = try FileStatus(path: path)?.identity else {
            throw PatchbayError(.notFound, "the storage \"\(path)\" has gone while it was being opened")
        }
        guard open.withLock({ $0.insert(identity).inserted }) else {
            throw PatchbayError(
                .busy, "the storage \"\(path)\" is open in this process already; share it or close it first")
        }
        return Registration(identity: identity)
    }
}

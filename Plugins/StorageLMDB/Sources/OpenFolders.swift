import PatchbayCore
import Synchronization

/// The environments that this process has open. LMDB's locks belong to the process, so opening an environment twice
/// would silently break them. This is the only state that the storages of a process share.
enum OpenFolders {
    private static let open = Mutex<Set<FileStatus.Identity>>([])

    /// A folder's place in the list, for as long as the object exists.
    final class Registration: Sendable {
        private let identity: FileStatus.Identity

        fileprivate init(_ identity: FileStatus.Identity) { self.identity = identity }

        deinit { OpenFolders.open.withLock { _ = $0.remove(identity) } }
    }

    /// - Throws: `busy` when the folder is already open, by any path.
    static func register(_ path: String) throws -> Registration {
        guard let identity = try FileStatus(path: path)?.identity else {
            throw PatchbayError(.notFound, "the storage \"\(path)\" was removed while it was being opened")
        }
        guard open.withLock({ $0.insert(identity).inserted }) else {
            throw PatchbayError(
                .busy, "the storage \"\(path)\" is already open in this process; share it or close it first")
        }
        return Registration(identity)
    }
}

import PatchbayCore
import PatchbaySystem
import Synchronization

/// The state that readers and the writer share: the current snapshot.
final class SharedState: Sendable {
    let pool = ScratchPool()
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var snapshot: Snapshot?
        var isRemoved = false
    }

    init(_ path: String) { self.path = path }

    /// Publishes the newest snapshot, or nil when the storage closes.
    func publish(_ snapshot: Snapshot?) {
        state.withLock { state in
            state.snapshot = snapshot
            if snapshot == nil { state.isRemoved = false }
        }
    }

    var notOpen: PatchbayError { .storageNotOpen(path) }

    /// - Throws: when the storage is not open; `notFound` after ``requireFolder(of:)`` has thrown it.
    func snapshot() throws -> Snapshot {
        let (snapshot, isRemoved) = state.withLock { ($0.snapshot, $0.isRemoved) }
        guard let snapshot else { throw notOpen }
        if isRemoved { throw StoragePlace.removed(path) }
        return snapshot
    }

    /// - Throws: `notFound` when the folder was removed or replaced; all further reads and writes throw it, too.
    func requireFolder(of snapshot: Snapshot) throws {
        guard snapshot.folder.isRemoved else { return }
        state.withLock { $0.isRemoved = true }
        throw StoragePlace.removed(path)
    }
}

/// The stamps of a folder's files at one moment, which show whether another process has changed them.
struct FileStamps: Equatable, Sendable {
    var schema: FileStatus.Stamp?
    var checkpoint: FileStatus.Stamp?
    /// Of the data files, in the order of the collections.
    var logs: [FileStatus.Stamp?]

    init(_ folder: Folder, _ collectionNames: [String]) throws {
        schema = try folder.status(FileName.schema)?.stamp
        checkpoint = try folder.status("\(FileName.index)/\(FileName.checkpoint)")?.stamp
        logs = try collectionNames.map { try folder.status(FileName.data($0))?.stamp }
    }

    /// Whether the rows are the same, wherever their index entries are.
    func isSameData(as other: FileStamps) -> Bool { schema == other.schema && logs == other.logs }
}

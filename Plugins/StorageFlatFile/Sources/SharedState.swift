import PatchbayCore
import Synchronization

/// The state of an open storage at one moment.
struct View: Sendable {
    var snapshot: Snapshot
    let folder: Folder
    let schemaVersion: Int
    /// The stamps of the files when the snapshot was taken; nil when no other process can change them.
    var stamps: FileStamps?

    /// All stored collections: the requested ones, then the others.
    func schema(_ asked: Schema?) -> Schema {
        Schema(version: schemaVersion, asked?.collections ?? [])
            .joined(with: snapshot.tables.map(\.collection))
    }

    /// Whether no file has changed since the snapshot was taken.
    func isCurrent() throws -> Bool {
        guard let stamps else { return true }
        let names = snapshot.tables.map(\.collection.name)
        return try !snapshot.isIndexDamaged && stamps.isSameData(as: FileStamps(folder, names))
    }
}

/// The state that readers and the writer share: the current view.
final class SharedState: Sendable {
    let pool = ScratchPool()
    private let path: String
    private let current = Mutex<View?>(nil)

    init(_ path: String) { self.path = path }

    /// Publishes the view of an opened storage, or nil when it closes.
    func publish(_ view: View?) { current.withLock { $0 = view } }

    func publish(_ snapshot: Snapshot) { current.withLock { $0?.snapshot = snapshot } }

    var notOpen: PatchbayError { .storageNotOpen(path) }

    /// - Throws: when the storage is not open.
    func view() throws -> View {
        guard let view = current.withLock({ $0 }) else { throw notOpen }
        return view
    }

    /// - Throws: when the storage is not open.
    func snapshot() throws -> Snapshot { try view().snapshot }
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

    /// Whether no file was replaced by another.
    func isSameFiles(as other: FileStamps) -> Bool {
        schema == other.schema && checkpoint == other.checkpoint
            && logs.map { $0?.identity } == other.logs.map { $0?.identity }
    }

    /// Whether the rows are the same, wherever their index entries are.
    func isSameData(as other: FileStamps) -> Bool { schema == other.schema && logs == other.logs }
}

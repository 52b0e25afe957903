import PatchbayCore
import Synchronization

/// What is open at one moment.
struct View: Sendable {
    var snapshot: Snapshot
    let folder: Folder
    let schemaVersion: Int
    /// How the files were when the snapshot was taken; nil when no other process changes them.
    var stamps: FileStamps?

    /// All stored collections: those that were asked for, then the others.
    func schema(_ asked: Schema?) -> Schema {
        let asked = asked?.collections ?? [], names = Set(asked.map(\.name))
        let others = snapshot.tables.map(\.collection).filter { !names.contains($0.name) }
        return Schema(version: schemaVersion, asked + others)
    }

    /// Whether no file has changed since.
    func isCurrent() throws -> Bool {
        guard let stamps else { return true }
        let names = snapshot.tables.map(\.collection.name)
        return try !snapshot.isIndexDamaged && stamps.isSameData(as: FileStamps(folder, names))
    }
}

/// What readers and the writer have in common: the view that holds now.
final class SharedState: Sendable {
    let pool = ScratchPool()
    private let path: String
    private let current = Mutex<View?>(nil)

    init(_ path: String) { self.path = path }

    /// Opens, or with nil closes.
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

import PatchbayCore
import Synchronization

/// What readers and the writer have in common: the snapshot that holds now.
final class SharedState: Sendable {
    let pool = ScratchPool()
    private let current = Mutex<Snapshot?>(nil)

    func publish(_ snapshot: Snapshot?) { current.withLock { $0 = snapshot } }

    /// - Throws: when the storage is not open.
    func snapshot() throws -> Snapshot {
        guard let snapshot = current.withLock({ $0 }) else { throw FlatFileStorage.notOpen }
        return snapshot
    }
}

import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import Synchronization

/// A text index that is made when it is first needed.
final class LaterTextIndex: Sendable {
    private let store: Store?
    private let make: @Sendable () async throws -> TextIndex
    private let making = Mutex<Task<TextIndex, any Error>?>(nil)
    /// The time between a commit and the update, so that the commits of a sync are read together.
    private static let pause = Duration.seconds(1)

    init(_ store: Store?, make: @escaping @Sendable () async throws -> TextIndex) {
        self.store = store
        self.make = make
    }

    /// The index of gateways, which have one storage if it is needed.
    convenience init(_ gateways: [Gateway]) {
        self.init(gateways.first?.store) { try await TextIndex(gateways) }
    }

    func get() async throws -> TextIndex {
        let task = making.withLock { making in
            if let making { return making }
            let task = Task { [make] in try await make() }
            making = task
            return task
        }
        do {
            return try await task.value
        } catch {
            making.withLock { $0 = nil }
            throw error
        }
    }

    /// Updates an index that exists after commits, until the task is cancelled.
    func follow() async {
        // Several storages have no index.
        guard let store, let index = try? await get() else { return }
        for await collections in store.changes.stream() {
            guard index.exists, index.resources.contains(where: { collections.contains($0.collection.name) })
            else { continue }
            do { try await Task.sleep(for: Self.pause) } catch { return }
            // The next search reports an index that cannot be updated.
            try? await index.update()
        }
    }
}

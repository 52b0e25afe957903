import Synchronization

/// The requests that are under way without a client waiting, at most one for each answer.
final class Refreshes: Sendable {
    /// How many there are at the same time; further ones wait for the next client.
    private static let countMax = 32

    private let running = Mutex<Set<UInt128>>([])

    func begin(_ variant: UInt128, _ work: @escaping @Sendable () async -> Void) {
        let isNew = running.withLock { $0.count < Self.countMax && $0.insert(variant).inserted }
        guard isNew else { return }
        Task {
            await work()
            running.withLock { _ = $0.remove(variant) }
        }
    }
}

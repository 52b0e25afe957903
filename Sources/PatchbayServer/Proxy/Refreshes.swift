import Synchronization

/// The background requests that refresh answers, at most one for each answer.
final class Refreshes: Sendable {
    /// The maximum number of concurrent refreshes. Further ones are dropped; the next client request triggers them
    /// again.
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

import Synchronization

/// Set until somebody takes it.
final class Flag: Sendable {
    private let isSet = Mutex(true)

    func take() -> Bool {
        isSet.withLock { isSet in
            defer { isSet = false }
            return isSet
        }
    }
}

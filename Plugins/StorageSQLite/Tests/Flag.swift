import Synchronization

/// True for the first caller only.
final class Flag: Sendable {
    private let isSet = Mutex(true)

    func take() -> Bool {
        isSet.withLock { isSet in
            defer { isSet = false }
            return isSet
        }
    }
}

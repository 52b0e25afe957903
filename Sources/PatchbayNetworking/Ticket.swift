import Synchronization

/// A result that somebody waits for and somebody else gives, once.
final class Ticket<Value: Sendable>: Sendable {
    private let state = Mutex(State.open)

    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
        case taken
    }

    /// Waits; a cancelled task stops waiting at once.
    ///
    /// - Parameter onCancel: called at most once, when the task was cancelled before a result was given.
    func value(onCancel: @escaping @Sendable () -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard let result = wait(continuation) else { return }
                continuation.resume(with: result)
            }
        } onCancel: {
            if give(.failure(CancellationError())) { onCancel() }
        }
    }

    /// - Returns: false when there was a result already; then this one is dropped.
    func give(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state in
            switch state {
            case .open:
                state = .given(result)
                return (true, nil as CheckedContinuation<Value, any Error>?)
            case .awaited(let continuation):
                state = .taken
                return (true, continuation)
            case .given, .taken: return (false, nil)
            }
        }
        continuation?.resume(with: result)
        return isFirst
    }

    /// The result that was given before anybody waited.
    private func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Result<Value, any Error>? {
        state.withLock { state in
            guard case .given(let result) = state else {
                state = .awaited(continuation)
                return nil
            }
            state = .taken
            return result
        }
    }
}

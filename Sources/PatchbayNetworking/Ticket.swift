import Synchronization

/// A result that one task waits for and another task provides, once.
final class Ticket<Value: Sendable>: Sendable {
    private let state = Mutex(State.open)

    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
        case taken
    }

    /// Waits for the result; a cancelled task stops waiting at once.
    ///
    /// - Parameter onCancel: called at most once, when the task is cancelled before a result is given.
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

    /// - Returns: false when there already was a result; this one is then dropped.
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

    /// Returns a result that was given before the wait began.
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

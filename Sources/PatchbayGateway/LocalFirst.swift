import PatchbayCore

/// The steps that all use cases share: read the storage, query the source, save, read again.
struct LocalFirst<Value: Sendable>: Sendable {
    /// A value from the storage, and the time when it was fetched.
    struct Stored: Sendable {
        var value: Value?
        var fetchedAt: Timestamp?
        /// Whether the value is the final answer, so that the source is not queried.
        var isFinal = false

        /// The answer with this value. Calls the listener with its age, unless it was just fetched or confirmed.
        func answer(
            _ outcome: Outcome, at time: Timestamp, _ served: StoredAnswerListener
        ) -> Answer<Value> {
            let age = fetchedAt?.storedAge(at: time)
            switch outcome {
            case .stored, .localOnly, .failed: if let age, value != nil { served(age, outcome) }
            case .fresh, .unchanged: break
            }
            return Answer(value: value, age: age, outcome: outcome)
        }
    }

    /// The store in which `refresh` saves.
    let store: SourceStore
    let policy: Policy
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener
    /// Runs once, before anything else.
    var begin: @Sendable () async throws -> Void = {}
    /// Reads the value from the storage, in one transaction.
    let stored: @Sendable (borrowing Reading) throws -> Stored
    /// Queries the source, saves its answer, and reads the value from the storage again. Called with the time when the
    /// stored value was fetched.
    let refresh:
        @Sendable (_ storedAt: Timestamp?, _ isConditional: Bool) async throws -> (Stored, hasChanged: Bool)

    func answers() -> Answers<Value> { Answers(steps: self) }

    /// The answer with the stored value; nil when the source must be queried first. Leaves the stored value in `known`.
    func first(_ known: inout Stored) async -> Answer<Value>? {
        do {
            try await begin()
            known = try await policy == .localOnly ? store.read(stored) : store.checkedRead(stored)
        } catch {
            return answer(known, .failed(PatchbayError(wrapping: error)))
        }
        if known.isFinal { return answer(known, .localOnly) }
        switch policy {
        case .localOnly: return answer(known, .localOnly)
        case .localFirst where known.value != nil: return answer(known, .stored)
        case .localFirst, .remoteFirst, .refresh: return nil
        }
    }

    /// The answer after the source's answer was saved, or the failure.
    func last(_ known: Stored) async -> Answer<Value> {
        do {
            try Task.checkCancellation()
            let (fresh, hasChanged) = try await refresh(known.fetchedAt, policy != .refresh)
            return answer(fresh, hasChanged ? .fresh : .unchanged)
        } catch {
            // Serves rows saved before the failure or, if they cannot be read, the value known before.
            let saved = try? await store.read(stored)
            return answer(saved ?? known, .failed(PatchbayError(wrapping: error)))
        }
    }

    private func answer(_ stored: Stored, _ outcome: Outcome) -> Answer<Value> {
        stored.answer(outcome, at: now(), served)
    }
}

extension PatchbayError {
    /// The error itself if it is a `PatchbayError`, otherwise one with it as the cause.
    init(wrapping error: any Error) {
        self =
            switch error {
            case let error as PatchbayError: error
            case is CancellationError:
                PatchbayError(
                    .cancelled, "the caller cancelled the request before it was answered", cause: error)
            default: PatchbayError(.internalError, "something unexpected failed", cause: error)
            }
    }
}

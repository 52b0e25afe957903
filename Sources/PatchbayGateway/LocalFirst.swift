import PatchbayCore

/// The order of events that all use cases share: read what is stored, ask the source, save, read again.
struct LocalFirst<Value: Sendable>: Sendable {
    /// A value from the storage, and since when it is known to hold.
    struct Stored: Sendable {
        var value: Value?
        var fetchedAt: Timestamp?
        /// Whether it holds without the source being asked.
        var isFinal = false

        /// What is told of it; a listener hears its age, unless it comes from the source just now.
        func answer(
            _ outcome: Outcome, at time: Timestamp, _ served: StoredAnswerListener
        ) -> Answer<Value> {
            let age = fetchedAt?.age(at: time)
            switch outcome {
            case .stored, .localOnly, .failed: if let age, value != nil { served(age, outcome) }
            case .fresh, .unchanged: break
            }
            return Answer(value: value, age: age, outcome: outcome)
        }
    }

    /// Where the refresh saves.
    let store: SourceStore
    let policy: Policy
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener
    /// Done once, before anything else.
    var begin: @Sendable () async throws -> Void = {}
    /// Reads the value from the storage.
    let stored: @Sendable () async throws -> Stored
    /// Asks the source, saves what it says, and reads the value from the storage again. Is called with the time of what
    /// was stored before.
    let refresh:
        @Sendable (_ storedAt: Timestamp?, _ isConditional: Bool) async throws -> (Stored, hasChanged: Bool)

    func answers() -> Answers<Value> { Answers(steps: self) }

    /// What is stored, as an answer; nil when the source is to be heard first. What was read is left in `known`.
    func first(_ known: inout Stored) async -> Answer<Value>? {
        do {
            if policy != .localOnly { try await store.check() }
            try await begin()
            known = try await stored()
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

    /// What the source says, once it is saved, or why it says nothing.
    func last(_ known: Stored) async -> Answer<Value> {
        do {
            try Task.checkCancellation()
            let (fresh, hasChanged) = try await refresh(known.fetchedAt, policy != .refresh)
            return answer(fresh, hasChanged ? .fresh : .unchanged)
        } catch {
            // What was saved before the failure is served; when it cannot be read, what was known.
            let saved = try? await stored()
            return answer(saved ?? known, .failed(PatchbayError(wrapping: error)))
        }
    }

    private func answer(_ stored: Stored, _ outcome: Outcome) -> Answer<Value> {
        stored.answer(outcome, at: now(), served)
    }
}

extension PatchbayError {
    /// The error itself, or one that carries another kind.
    init(wrapping error: any Error) {
        self =
            switch error {
            case let error as PatchbayError: error
            case is CancellationError:
                PatchbayError(.cancelled, "the caller gave up before the answer came", cause: error)
            default: PatchbayError(.internalError, "something unexpected failed", cause: error)
            }
    }
}

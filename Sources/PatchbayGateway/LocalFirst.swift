import PatchbayCore

/// The order of events that all use cases share: read what is stored, ask the source, save, read again.
struct LocalFirst<Value: Sendable>: Sendable {
    /// A value from the storage, and since when it is known to hold.
    struct Stored: Sendable {
        var value: Value?
        var fetchedAt: Timestamp?
        /// Whether it holds without the source being asked.
        var isFinal = false
    }

    let policy: Policy
    let now: @Sendable () -> Timestamp
    /// Done once, before anything else.
    var begin: @Sendable () async throws -> Void = {}
    /// Reads the value from the storage.
    let stored: @Sendable () async throws -> Stored
    /// Asks the source, saves what it says, and reads the value from the storage again.
    let refresh: @Sendable (_ isConditional: Bool) async throws -> (Stored, hasChanged: Bool)

    func answers() -> AsyncStream<Answer<Value>> {
        AsyncStream { continuation in
            let task = Task {
                await run { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func run(_ emit: (Answer<Value>) -> Void) async {
        var known = Stored()
        do {
            try await begin()
            known = try await stored()
            if policy == .localOnly || known.isFinal { return emit(answer(known, .localOnly)) }
            if policy == .localFirst, known.value != nil { emit(answer(known, .stored)) }
            let (fresh, hasChanged) = try await refresh(policy != .refresh)
            emit(answer(fresh, hasChanged ? .fresh : .unchanged))
        } catch {
            // What was saved before the failure is served, too.
            if let saved = try? await stored() { known = saved }
            emit(answer(known, .failed(PatchbayError(wrapping: error))))
        }
    }

    private func answer(_ stored: Stored, _ outcome: Outcome) -> Answer<Value> {
        Answer(value: stored.value, age: stored.fetchedAt?.age(at: now()), outcome: outcome)
    }
}

extension PatchbayError {
    /// The error itself, or an internal error that carries another kind.
    init(wrapping error: any Error) {
        self =
            error as? PatchbayError
            ?? PatchbayError(.internalError, "something unexpected failed", cause: error)
    }
}

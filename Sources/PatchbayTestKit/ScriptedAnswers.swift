public import PatchbayCore
import PatchbayDomain
import Synchronization

/// The requests that a scripted feed received, and the failures that a test orders.
public final class ScriptedAnswers: Sendable {
    private struct State {
        var requests: [String] = []
        var failure: PatchbayError?
        var answersBeforeFailure = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// The requests so far, each with `if changed` when conditional.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Fails every request, after so many more answers; nil lets them pass again.
    public func fail(with error: PatchbayError?, afterAnswers count: Int = 0) {
        state.withLock {
            $0.failure = error
            $0.answersBeforeFailure = count
        }
    }

    /// The answer to a request: unchanged when the validator is that of the value.
    func answer<Value: Hashable & Sendable>(
        _ question: String, _ validator: Validator, _ value: () throws -> Value
    ) throws -> Fetched<Value> {
        try state.withLock { state in
            state.requests.append(question + (validator.entityTag == nil ? "" : " if changed"))
            if let failure = state.failure {
                guard state.answersBeforeFailure > 0 else { throw failure }
                state.answersBeforeFailure -= 1
            }
        }
        let value = try value()
        let entityTag = "\"\(value.hashValue)\""
        return validator.entityTag == entityTag
            ? .unchanged : .changed(value, Validator(entityTag: entityTag))
    }
}

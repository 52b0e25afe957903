/// The answers of a use case: at most two values, the last of which is the only ending.
///
///     for await answer in try gateway.list("users", limit: 20) { show(answer) }
///     let users = try await gateway.list("users", limit: 20).ending.value
///
/// Each answer is computed when it is requested, in the requesting task. Nothing runs ahead of a slow observer or is
/// buffered for it, and work stops when the iteration stops. Cancelling that task cancels the request to the source and
/// ends the answers with `failed` and the code `cancelled`; rows saved before stay.
public struct Answers<Value: Sendable>: AsyncSequence, Sendable {
    let steps: LocalFirst<Value>

    /// Starts the use case from its beginning; nothing is read or requested before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(steps: steps) }

    /// The last answer; earlier ones are skipped.
    public var ending: Answer<Value> {
        get async {
            var iterator = makeAsyncIterator()
            while let answer = await iterator.next() { if answer.outcome.isEnding { return answer } }
            preconditionFailure("answers have an ending")
        }
    }

    /// Computes the answers.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let steps: LocalFirst<Value>
        private var known = LocalFirst<Value>.Stored()
        private var hasBegun = false
        private var hasEnded = false

        fileprivate init(steps: LocalFirst<Value>) { self.steps = steps }

        /// Returns the next answer, after reading the storage or querying the source as the policy requires; nil after
        /// the ending.
        public mutating func next() async -> Answer<Value>? {
            guard !hasEnded else { return nil }
            if !hasBegun {
                hasBegun = true
                if let first = await steps.first(&known) {
                    hasEnded = first.outcome.isEnding
                    return first
                }
            }
            hasEnded = true
            return await steps.last(known)
        }
    }

    /// The same answers with other values.
    ///
    /// - Parameter transform: its error ends the answers as `failed`.
    public func map<New: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> New
    ) -> Answers<New> {
        let steps = steps
        return LocalFirst<New>(
            store: steps.store, policy: steps.policy, now: steps.now, served: steps.served, begin: steps.begin
        ) { reading in
            try steps.stored(reading).map(transform)
        } refresh: { storedAt, isConditional in
            let (stored, hasChanged) = try await steps.refresh(storedAt, isConditional)
            return (try stored.map(transform), hasChanged)
        }.answers()
    }
}

extension LocalFirst.Stored {
    fileprivate func map<New: Sendable>(
        _ transform: (Value) throws -> New
    ) rethrows -> LocalFirst<New>.Stored {
        LocalFirst<New>.Stored(value: try value.map(transform), fetchedAt: fetchedAt, isFinal: isFinal)
    }
}

extension Answers {
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

/// What a use case says, one answer after the other: at most two values, the last of which is the only ending.
///
///     for await answer in gateway.listUsers(limit: 20) { show(answer) }
///     let users = await gateway.listUsers(limit: 20).ending.value
///
/// Each answer is worked out when it is asked for, in the task that asks: nothing runs ahead of a slow observer,
/// nothing waits in memory for it, and who stops asking has stopped the work. When that task is cancelled, so is the
/// question to the source, and the ending is `failed` with the code `cancelled`; what was saved before stays.
public struct Answers<Value: Sendable>: AsyncSequence, Sendable {
    let steps: LocalFirst<Value>

    public func makeAsyncIterator() -> Iterator { Iterator(steps: steps) }

    /// The last answer; the ones before are passed over.
    public var ending: Answer<Value> {
        get async {
            var iterator = makeAsyncIterator()
            while let answer = await iterator.next() { if answer.outcome.isEnding { return answer } }
            preconditionFailure("answers have an ending")
        }
    }

    /// Works the answers out.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let steps: LocalFirst<Value>
        private var known = LocalFirst<Value>.Stored()
        private var hasBegun = false
        private var hasEnded = false

        fileprivate init(steps: LocalFirst<Value>) { self.steps = steps }

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
}

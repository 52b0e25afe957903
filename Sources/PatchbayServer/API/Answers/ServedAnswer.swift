import PatchbayCore
import PatchbayGateway

/// The answer of a use case that a client receives: the stored one if it is complete, otherwise the last one.
struct ServedAnswer<Value: Sendable>: Sendable {
    let answer: Answer<Value>
    /// Whether the source is still to be queried.
    let isContinued: Bool
    private var forward = Provenance.Forward.request

    /// - Parameter isWhole: whether a stored value is a complete answer.
    init(_ answers: Answers<Value>, _ policy: Policy, isWhole: (Value) -> Bool) async {
        var forward: Provenance.Forward = policy == .localFirst ? .miss : .request
        for await answer in answers {
            if answer.outcome.isEnding {
                self.init(answer, isContinued: false, forward)
                return
            }
            if let value = answer.value, isWhole(value) {
                self.init(answer, isContinued: true, forward)
                return
            }
            forward = .partial
        }
        preconditionFailure("answers must have an ending")
    }

    private init(_ answer: Answer<Value>, isContinued: Bool, _ forward: Provenance.Forward) {
        self.answer = answer
        self.isContinued = isContinued
        self.forward = forward
    }

    /// Returns the answer.
    ///
    /// - Throws: the error of a failure without any stored value.
    func served() throws -> Answer<Value> { try answer.served() }

    func provenance(from source: String) -> Provenance {
        var provenance = Provenance(answer, from: source)
        provenance.forward = forward
        return provenance
    }
}

extension Policy {
    /// Whether the source is queried before the answer.
    var queriesFirst: Bool { self == .remoteFirst || self == .refresh }
}

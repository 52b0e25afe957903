import PatchbayCore
import PatchbayGateway

/// The one of a use case's answers that a client gets: what is stored if that is all that was asked for, else the
/// ending.
struct Asked<Value: Sendable>: Sendable {
    let answer: Answer<Value>
    /// Whether the source is yet to be asked.
    let isContinued: Bool
    private var forward = Provenance.Forward.request

    /// - Parameter isWhole: whether a stored value is all that was asked for.
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
        preconditionFailure("answers have an ending")
    }

    private init(_ answer: Answer<Value>, isContinued: Bool, _ forward: Provenance.Forward) {
        self.answer = answer
        self.isContinued = isContinued
        self.forward = forward
    }

    /// The answer.
    ///
    /// - Throws: the error of a failure that leaves nothing to answer with.
    func served() throws -> Answer<Value> {
        if case .failed(let error) = answer.outcome, answer.value == nil { throw error }
        return answer
    }

    func provenance(from source: String) -> Provenance {
        var provenance = Provenance(answer, from: source)
        provenance.forward = forward
        return provenance
    }
}

extension Outcome {
    /// Whether the source has just sent or confirmed the value.
    var isConfirmed: Bool {
        switch self {
        case .fresh, .unchanged: true
        case .stored, .localOnly, .failed: false
        }
    }
}

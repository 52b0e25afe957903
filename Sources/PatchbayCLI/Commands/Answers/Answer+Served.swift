import PatchbayCore
import PatchbayGateway

extension Answer {
    /// The answer itself.
    ///
    /// - Throws: the error of a failure that leaves nothing to show.
    func served() throws -> Answer {
        if case .failed(let error) = outcome, value == nil { throw error }
        return self
    }
}

extension Outcome {
    /// Whether the source has just told or confirmed the value.
    var isConfirmed: Bool {
        switch self {
        case .fresh, .unchanged: true
        case .stored, .localOnly, .failed: false
        }
    }
}

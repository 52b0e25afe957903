import PatchbayCore
import PatchbayGateway

extension Answer {
    /// Returns the answer if it has a value to show.
    ///
    /// - Throws: the error of a failure without a value.
    func served() throws -> Answer {
        if case .failed(let error) = outcome, value == nil { throw error }
        return self
    }
}

extension Outcome {
    /// Whether the source has just provided or confirmed the value.
    var isConfirmed: Bool {
        switch self {
        case .fresh, .unchanged: true
        case .stored, .localOnly, .failed: false
        }
    }
}

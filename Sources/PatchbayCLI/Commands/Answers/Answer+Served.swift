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

    /// Whether the source has just told or confirmed the value.
    var isConfirmed: Bool {
        switch outcome {
        case .fresh, .unchanged: true
        case .stored, .localOnly, .failed: false
        }
    }
}

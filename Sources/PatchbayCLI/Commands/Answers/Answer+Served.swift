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

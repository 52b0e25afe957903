import PatchbayCore
import PatchbayGateway

extension AsyncStream {
    /// The last answer of a local-first stream.
    var ending: Element {
        get async {
            var last: Element?
            for await answer in self { last = answer }
            guard let last else { preconditionFailure("a stream of answers has an ending") }
            return last
        }
    }
}

extension Answer {
    /// The answer itself.
    ///
    /// - Throws: the error of a failure that leaves nothing to show.
    func served() throws -> Answer {
        if case .failed(let error) = outcome, value == nil { throw error }
        return self
    }
}

import HTTPTypes
public import PatchbayCore

/// Answers every request with 404, in place of a part that the program or source lacks.
public struct AbsentResponder: Responder {
    private let detail: String

    /// - Parameter detail: what is missing, and why.
    public init(_ detail: String) { self.detail = detail }

    /// Returns 404 with the detail in a problem document.
    public func reply(to request: ServerRequest) -> ServerReply {
        .ready(.problem(.notFound, detail, code: .notFound))
    }
}

import HTTPTypes
public import PatchbayCore

/// Answers every request with 404, in the place of a part that a program or a source does not have.
public struct AbsentResponder: Responder {
    private let detail: String

    /// - Parameter detail: what is not there, and why.
    public init(_ detail: String) { self.detail = detail }

    public func respond(to request: ServerRequest) async -> ServerResponse {
        .problem(.notFound, detail, code: .notFound)
    }
}

import HTTPTypes
package import PatchbayCore

/// Answers every request with 404, in place of a part that the program or source lacks.
package struct AbsentResponder: Responder {
    private let detail: String

    /// - Parameter detail: what is missing, and why.
    package init(_ detail: String) { self.detail = detail }

    /// Returns 404 with the detail in a problem document.
    package func reply(to request: ServerRequest) -> ServerReply {
        .ready(.problem(.notFound, detail, code: .notFound))
    }
}

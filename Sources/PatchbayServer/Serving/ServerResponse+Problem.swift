package import HTTPTypes
package import PatchbayCore

extension ServerResponse {
    /// Returns an answer that reports a problem (RFC 9457).
    ///
    /// - Parameters:
    ///   - detail: what happened, to what, and what to do; never a secret.
    ///   - code: the code in Docs/Errors.md, if there is one.
    ///   - fields: header fields that belong to the status, such as `Allow`.
    package static func problem(
        _ status: HTTPResponse.Status, _ detail: String, code: PatchbayError.Code? = nil,
        _ fields: HTTPFields = [:]
    ) -> ServerResponse {
        var problem = Problem(status, code, detail)
        problem.fields = fields
        return problem.response
    }
}

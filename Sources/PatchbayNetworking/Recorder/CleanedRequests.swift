package import HTTPTypes
package import PatchbayCore

/// Looks up a request in a recording once more, in the form in which ``Recorder`` wrote it, when the original form is
/// missing.
///
/// The recorder writes a placeholder for a secret in a path, query or body. This layer puts the same placeholder in the
/// same places, for secrets that it recognizes by shape or name.
package struct CleanedRequests: NetworkingLayer {
    private let secrets = SecretFilter()

    /// Creates a layer; it needs no secrets, because it recognizes them by shape or name.
    package init() {}

    /// Passes the request on and, after `notFound`, its cleaned form if that differs.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        do {
            return try await next.send(request, body: body)
        } catch let error as PatchbayError where error.code == .notFound {
            var cleaned = request
            cleaned.path = request.path.map(secrets.cleaned)
            let cleanedBody = secrets.cleaned(body, mediaType: request.headerFields[.contentType] ?? "")
            guard cleaned.path != request.path || cleanedBody != body else { throw error }
            return try await next.send(cleaned, body: cleanedBody)
        }
    }
}

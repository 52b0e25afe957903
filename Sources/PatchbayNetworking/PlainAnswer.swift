import HTTPTypes
package import PatchbayCore

/// The answer to a GET of an address that no definition describes.
package struct PlainAnswer: Sendable {
    package let body: [UInt8]
    /// The address of the next page in the `Link` header.
    package let next: String?

    /// - Throws: any error of the network; the error for an unsuccessful status.
    package init(of address: HTTPAddress, over networking: any Networking) async throws {
        var request = HTTPRequest(
            method: .get, scheme: address.scheme, authority: address.authority, path: address.path)
        request.headerFields[.accept] = "application/json"
        request.headerFields[.userAgent] = "patchbay/\(PatchbayVersion.current)"
        let response = try await networking.send(request, body: [])
        let status = response.head.status.code
        guard (200...299).contains(status) else { throw PlainAnswer.error(status, address) }
        body = response.body
        next = Link.target("next", in: response.head.headerFields[.link])
    }

    private static func error(_ status: Int, _ address: HTTPAddress) -> PatchbayError {
        let code: PatchbayError.Code =
            switch status {
            case 401: .unauthorized
            case 403: .permissionDenied
            case 404, 410: .notFound
            case 429: .rateLimited
            case 500...599: .offline
            default: .invalidResponse
            }
        let shown = SecretNames.cleaned(address: address.text)
        return PatchbayError(code, "\(shown) answered with the status \(status)")
    }
}

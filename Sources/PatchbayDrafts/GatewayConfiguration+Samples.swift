package import Patchbay
package import PatchbayCore
package import PatchbayDomain

extension GatewayConfiguration {
    /// Requests an address without a definition, as ``plainAnswer(at:authorization:report:)`` does.
    ///
    /// - Returns: the answer, or the samples that it describes if it is an OpenAPI document.
    package func samples(
        at text: String, authorization: Definition.Authorization = .bearer,
        report: (@Sendable (RequestLogEntry) -> Void)? = nil
    ) async throws -> [DraftSample] {
        let (answer, address, hasToken) = try await plainAnswer(
            at: text, authorization: authorization, report: report)
        let name = SecretNames.cleaned(address: address.text)
        return try DraftSample.all(in: answer?.body ?? [], name: name, from: address).map { sample in
            var sample = sample
            // The Link header of a document is not that of the lists it describes.
            if !sample.isDescribed { sample.next = answer?.next }
            if hasToken { sample.authorization = authorization }
            return sample
        }
    }
}

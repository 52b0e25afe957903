import HTTPTypes
import PatchbayCore

extension Answer {
    /// The error for a status that is not the one hoped for (semantics 26 to 35).
    ///
    /// - Parameter missing: the sentence for 404.
    func error(missing: String) -> PatchbayError {
        let said = ErrorBody(response.body)
        if let limit = RateLimit(response) {
            return limit.error(host: address.authority, context)
        }
        let (code, sentence) = verdict(said, missing: missing)
        return PatchbayError(code, sentence, context)
    }

    private func verdict(_ said: ErrorBody, missing: String) -> (PatchbayError.Code, String) {
        let host = address.authority
        switch status {
        case 401: return (.unauthorized, "\(host) refused the credentials\(said.quote); check the token")
        case 403:
            return (
                .permissionDenied, "\(host) does not permit this\(said.quote); check the token's permissions"
            )
        case 404: return (.notFound, missing)
        case 410:
            // Said of API versions; that an account is gone it does not tell for sure.
            return (
                .unsupported, "\(host) does not serve this any more\(said.quote); a newer patchbay may help"
            )
        case 451:
            let reason = said.blockReason.map { ", reason " + Quotation.quoted($0) } ?? ""
            return (.permissionDenied, "\(host) is legally barred from answering\(said.quote)\(reason)")
        case 400, 422: return (.invalidValue, "\(host) refused the request as invalid\(said.quote)")
        case 408, 500...599:
            return (.offline, "\(host) could not answer now (\(status))\(said.quote); try again later")
        case 300...399:
            let location = response.head.headerFields[.location].map { " to " + Quotation.quoted($0) } ?? ""
            return (.invalidResponse, "\(host) answered \(status)\(location), which nobody followed")
        default:
            return (.invalidResponse, "\(host) answered \(status), which is no answer to this\(said.quote)")
        }
    }
}

import HTTPTypes
import PatchbayCore
import PatchbayDomain

extension Answer {
    /// The error for a status that is not the one hoped for (semantics 26 to 35).
    ///
    /// Its cause is a ``Refusal`` when GitHub knows what was asked for and does not tell.
    /// - Parameter missing: the sentence for 404.
    func error(missing: String) -> PatchbayError {
        let said = ErrorBody(response.body)
        if let limit = RateLimit(response) {
            return limit.error(host: address.authority, context)
        }
        let refusal = refusal(said)
        let (code, sentence) = refusal.map { verdict($0, said) } ?? verdict(said, missing: missing)
        return PatchbayError(code, sentence, context, cause: refusal)
    }

    /// What was said of the resource itself; nil when the refusal is of the request or of who asks.
    private func refusal(_ said: ErrorBody) -> Refusal? {
        switch status {
        case 403, 451:
            if let reason = said.blockReason { return Refusal(.blocked, reason: Quotation.plain(reason)) }
            let message = said.message.map(Quotation.plain)
            if status == 451 || said.says("access blocked") { return Refusal(.blocked, reason: message) }
            let isAboutPermission =
                said.says("not accessible by") || said.says("protected by organization")
                || said.says("must have") || response.head.headerFields[.acceptedPermissions] != nil
            return isAboutPermission ? Refusal(.forbidden, reason: message) : nil
        case 410:
            // GitHub says 410 of API versions that it has retired, too.
            return said.says("version") ? nil : Refusal(.removed, reason: said.message.map(Quotation.plain))
        default: return nil
        }
    }

    private func verdict(_ refusal: Refusal, _ said: ErrorBody) -> (PatchbayError.Code, String) {
        let host = address.authority
        switch refusal.kind {
        case .blocked:
            let reason = said.blockReason.map { ", reason " + Quotation.quoted($0) } ?? ""
            return (.permissionDenied, "\(host) is legally barred from answering\(said.quote)\(reason)")
        case .forbidden:
            return (
                .permissionDenied, "\(host) does not permit this\(said.quote); check the token's permissions"
            )
        case .removed, .missing: return (.permissionDenied, "\(host) says that this was removed\(said.quote)")
        }
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
            return (
                .unsupported, "\(host) does not serve this any more\(said.quote); a newer patchbay may help"
            )
        case 400, 422: return (.invalidValue, "\(host) refused the request as invalid\(said.quote)")
        case 408, 500...599:
            return (.offline, "\(host) could not answer now (\(status))\(said.quote); try again later")
        case 300...399: return (.invalidResponse, redirection)
        default:
            return (.invalidResponse, "\(host) answered \(status), which is no answer to this\(said.quote)")
        }
    }

    /// What is said of a redirect that was not followed, such as one to another server.
    private var redirection: String {
        guard let target = redirectTarget else {
            return "\(address.origin) answered \(status) without an address to go to"
        }
        let sentence =
            "\(address.origin) answered \(status) and points to \(Quotation.quoted(target.display))"
        return target.origin == address.origin
            ? sentence + ", which was not followed"
            : sentence + ", which is another server and was not asked; "
                + "if the API moved there, set source.base-url to its new address"
    }
}

extension HTTPField.Name {
    fileprivate static let acceptedPermissions = HTTPField.Name("X-Accepted-GitHub-Permissions")!
}

import HTTPTypes
import PatchbayCore
import PatchbayDomain

extension RESTAnswer {
    /// Returns the error for an unsuccessful answer.
    ///
    /// The cause is a ``Refusal`` when the server knows the row but refuses to return it.
    /// - Parameter missing: the message for 404.
    func error(missing: String, hooks: RESTHooks) -> PatchbayError {
        if let meaning = rules.meaning(of: response) { return error(meaning, missing: missing) }
        if let limit = RateLimit(response, bodyWait: bodyWait)
            ?? (status < 400 ? nil : bodyWait.map { RateLimit(limited: response, bodyWait: $0) })
        {
            return limit.error(host: address.authority, details)
        }
        let refusal = hooks.refusal(self)
        let (code, sentence) = refusal.map(verdict) ?? verdict(missing: missing)
        return PatchbayError(
            code, sentence, details + (code == .offline ? retryDetails : []), cause: refusal)
    }

    private func error(_ meaning: ErrorRules.Meaning, missing: String) -> PatchbayError {
        let host = address.authority
        switch meaning {
        case .unauthorized: return PatchbayError(.unauthorized, refusedCredentials, details)
        case .permissionDenied: return PatchbayError(.permissionDenied, notPermitted, details)
        case .notFound: return PatchbayError(.notFound, missing, details)
        case .removed:
            let refusal = Refusal(.removed, reason: text)
            let (code, sentence) = verdict(refusal)
            return PatchbayError(code, sentence, details, cause: refusal)
        case .rateLimited: return RateLimit(limited: response, bodyWait: bodyWait).error(host: host, details)
        case .offline:
            return PatchbayError(
                .offline, "\(host) could not answer\(quote); \(retryAdvice)", details + retryDetails)
        case .invalidValue:
            return PatchbayError(.invalidValue, "\(host) refused the request as invalid\(quote)", details)
        case .restart:
            return PatchbayError(
                .invalidResponse, "\(host) no longer accepts the cursor\(quote); list from the start",
                details, cause: VoidCursor())
        }
    }

    /// The error's text and its details as the end of a sentence; empty without a text.
    private var quote: String {
        let more = rules.details.lazy.compactMap { text(at: $0) }.first
        return [rawText, more].compactMap { $0 }.map { ": " + Quotation.quoted($0) }.joined()
    }

    private var refusedCredentials: String {
        canSendToken
            ? "\(address.authority) refused the credentials\(quote); check the token, or set source.token"
            : "\(address.authority) requires credentials\(quote), but the definition sets no auth"
    }

    /// When a server that could not answer asks to try again; nil if it does not say.
    private var retryAfter: RetryAfter? { RetryAfter(fields) ?? bodyWait }

    /// The wait that the body asks for.
    private var bodyWait: RetryAfter? { rules.wait(in: body) }

    private var retryAdvice: String { retryAfter?.advice ?? "try again later" }

    private var retryDetails: [PatchbayError.Detail] {
        let answeredAt = fields[.date].flatMap(Timestamp.init(httpDate:))
        return retryAfter?.moment(after: answeredAt).map { [.retryAt($0)] } ?? []
    }

    private var notPermitted: String {
        "\(address.authority) does not permit the request\(quote); check the token's permissions"
    }

    private func verdict(_ refusal: Refusal) -> (PatchbayError.Code, String) {
        switch refusal.kind {
        case .blocked:
            let reason = refusal.reason.flatMap { $0 == text ? nil : ", reason " + Quotation.quoted($0) }
            return (
                .permissionDenied,
                "\(address.authority) is legally barred from answering\(quote)\(reason ?? "")"
            )
        case .forbidden: return (.permissionDenied, notPermitted)
        case .removed, .missing:
            return (.permissionDenied, "\(address.authority) reports that this was removed\(quote)")
        }
    }

    private func verdict(missing: String) -> (PatchbayError.Code, String) {
        let host = address.authority
        switch status {
        case 401: return (.unauthorized, refusedCredentials)
        case 403, 451: return (.permissionDenied, notPermitted)
        case 404: return (.notFound, missing)
        case 410:
            return (.unsupported, "\(host) no longer serves this\(quote); a newer Patchbay may help")
        case 400, 422: return (.invalidValue, "\(host) refused the request as invalid\(quote)")
        case 501, 505:
            return (.unsupported, "\(host) does not support this request (\(status))\(quote)")
        case 408, 500...599:
            return (.offline, "\(host) could not answer (\(status))\(quote); \(retryAdvice)")
        case 304:
            return (.invalidResponse, "\(host) answered 304 (not modified) to a request without a condition")
        case 300...399: return (.invalidResponse, redirection)
        case 200...299 where isMarkedAsError:
            return (.invalidResponse, "\(host) answered with an error\(quote)")
        default: return (.invalidResponse, "\(host) answered \(status), which is unexpected\(quote)")
        }
    }

    /// The message for a redirect that was not followed, such as one to another server.
    private var redirection: String {
        guard let target = redirectTarget else {
            return "\(address.origin) answered \(status) without a valid Location"
        }
        let sentence =
            "\(address.origin) answered \(status) and points to \(Quotation.quoted(target.display))"
        return target.origin == address.origin
            ? sentence + ", which was not followed"
            : sentence + ", which is another server, so it was not followed; "
                + "if the API moved there, set source.base-url to its new address"
    }
}

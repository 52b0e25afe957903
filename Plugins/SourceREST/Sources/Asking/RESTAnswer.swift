public import HTTPTypes
public import PatchbayCore
package import PatchbayDomain
import PatchbayJSON

/// The answer of a server to a request, as passed to hooks.
public struct RESTAnswer: Sendable {
    let address: HTTPAddress
    /// See ``RESTServer/partition``.
    let partition: String
    /// Whether 304 is a valid answer to the request.
    let wasConditional: Bool
    /// Whether the definition says how to send a token.
    let canSendToken: Bool
    let response: Response
    let rules: ErrorRules

    /// The HTTP status.
    public var status: Int { response.head.status.code }
    /// The header fields.
    public var fields: HTTPFields { response.head.headerFields }
    /// The body, decompressed and without a preamble before its JSON; empty when the answer has none.
    public var body: [UInt8] { response.body }

    /// The text of an error at the path of the definition's `error.text`, safe for messages.
    public var text: String? { rawText.map(Quotation.plain) }

    /// Whether the error's text contains a lower-case text, ignoring case.
    public func mentions(_ text: String) -> Bool { rawText?.lowercased().contains(text) == true }

    /// Returns the text or the number at a path of the body; nil for an empty text.
    package func text(at path: JSONPath) -> String? { BodyValue(at: path, in: body)?.word }

    var rawText: String? { rules.text(in: body) }

    /// The server's own time of the answer; in a recording, the recorded one, to which the recorded values belong.
    var date: Timestamp? { fields[.date].flatMap(Timestamp.init(httpDate:)) }

    /// The validator to send with the next request for the same address.
    var validator: Validator {
        let tag = Validator(entityTag: fields[.eTag]).usableEntityTag
        return Validator(entityTag: tag, lastModified: fields.usableLastModified, partition: partition)
    }

    /// The target of a redirect that no layer followed; nil for any other answer.
    var redirectTarget: HTTPAddress? {
        guard (300...399).contains(status), status != 304 else { return nil }
        return fields[.location].flatMap(address.resolving)
    }

    /// Whether the definition marks an answer below 400 as an error.
    var isMarkedAsError: Bool { rules.marks(body) }

    /// Whether the body contains the requested rows.
    var isSuccess: Bool { (200...299).contains(status) && status != 202 && !isMarkedAsError }

    /// Whether the answer's status and text mark the end of a list.
    func isEnd(_ end: ListEnd) -> Bool { status == end.status && end.text.map(mentions) != false }

    /// Whether the answer for a first page states that the list is empty: by a text that the definition names, such as
    /// "issues are disabled". A status alone does not, because a permission or a path may be wrong, and rows would be
    /// marked as no longer listed.
    func isEmptyList(_ end: ListEnd) -> Bool { end.text != nil }

    /// Decodes the body as rows.
    ///
    /// - Parameter noun: the expected content, for messages.
    /// - Throws: `invalidResponse` for a body that is empty or does not match the definition.
    func decoded<Value>(
        _ noun: String, of resource: Resource, by decode: ([UInt8]) throws -> Value
    ) throws -> Value {
        let collection = PatchbayError.Detail.collection(resource.collection.name)
        guard !body.isEmpty else {
            throw invalid("it is not \(noun): the body is empty").adding([collection])
        }
        do {
            return try decode(body)
        } catch let fault as RowFault {
            throw invalid(notUTF8 ?? "it is not \(noun): \(fault.sentence)").adding(
                fault.details + [collection])
        }
    }

    /// The place of the first byte that is not UTF-8, as the end of a message; nil when there is none.
    private var notUTF8: String? {
        let bytes = body.span.bytes
        var at = 0
        while at < body.count {
            let length = bytes.lengthOfUTF8Sequence(at: at)
            guard length > 0 else {
                return "it is not UTF-8 at byte \(at) (0x\(String(body[at], radix: 16, uppercase: true)))"
            }
            at += length
        }
        return nil
    }

    /// Returns the error for an answer that cannot be used; it names the address, the status and the server's request.
    ///
    /// - Parameter problem: what is wrong with the answer, as the end of a sentence: "it is not a list of limits".
    public func invalid(_ problem: String) -> PatchbayError {
        PatchbayError(
            .invalidResponse, "the answer of \(address.display) cannot be used: \(problem)", details)
    }

    /// The details of every error about this answer.
    var details: [PatchbayError.Detail] {
        [.url(address.display), .status(status)]
            + RESTAnswer.requestIDs.compactMap { name in
                fields[name].map { .note(name.canonicalName, Quotation.plain($0)) }
            }
    }

    /// The header fields that identify a request to a server's support.
    private static let requestIDs = ["x-request-id", "x-github-request-id", "x-slack-req-id"]
        .compactMap { HTTPField.Name($0) }

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

extension ErrorRules {
    /// Whether the definition marks an answer with a status below 400 and this body as an error.
    func marks(_ body: [UInt8]) -> Bool {
        switch mark {
        case nil, .some(.none): false
        case .present(let path): BodyValue(at: path, in: body)?.isEmpty == false
        case .absent(let path): BodyValue(at: path, in: body)?.isMark != true
        }
    }

    /// The same for a body as it was received; false for one that is not JSON, whatever type its server declares.
    func marks(unread body: [UInt8]) -> Bool {
        guard mark != nil else { return false }
        let length = JSONPreamble.length(in: body), json = length > 0 ? Array(body.dropFirst(length)) : body
        let first = json.first { !" \t\r\n".utf8.contains($0) }
        return first.map("{[".utf8.contains) ?? false && marks(json)
    }

    /// The text of an error at the definition's `error.text`; nil for an empty one.
    func text(in body: [UInt8]) -> String? { text.flatMap { BodyValue(at: $0, in: body)?.word } }

    /// The meaning of an error's text or status in the definition; nil if it has none.
    func meaning(of response: Response) -> Meaning? {
        text(in: response.body).flatMap(meaning) ?? meaning(of: String(response.head.status.code))
    }

    /// The wait that a body asks for at the definition's `error.wait`; nil without a number or a time there.
    func wait(in body: [UInt8]) -> RetryAfter? {
        wait.flatMap { BodyValue(at: $0, in: body)?.word }.flatMap { RetryAfter($0) }
    }

    /// What an answer's body states about limits.
    func limit(in response: Response) -> BodyLimit {
        let isRefusal =
            words[.rateLimited] != nil && (response.head.status.code >= 400 || marks(response.body))
            && meaning(of: response) == .rateLimited
        return BodyLimit(wait: wait(in: response.body), isRefusal: isRefusal)
    }
}

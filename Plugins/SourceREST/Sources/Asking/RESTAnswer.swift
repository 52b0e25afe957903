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

    /// `Last-Modified`, unless the row could change again within that second: two versions would have the same time
    /// (RFC 9110, section 8.8.2.2).
    private var lastModified: String? {
        guard let text = fields[.lastModified] else { return nil }
        guard let date, let time = Timestamp(httpDate: text) else { return text }
        return time.advanced(by: .seconds(1)) <= date ? text : nil
    }

    /// The validator to send with the next request for the same address.
    var validator: Validator {
        let validator = Validator(entityTag: fields[.eTag], lastModified: lastModified)
        guard validator.usableEntityTag != nil || validator.lastModified != nil else { return Validator() }
        return Validator(
            entityTag: validator.usableEntityTag, lastModified: validator.lastModified, partition: partition)
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
}

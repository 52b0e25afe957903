public import HTTPTypes
import PatchbayCore
public import PatchbayDomain

/// An answer of a server to a request, as hooks see it.
public struct RESTAnswer: Sendable {
    let address: HTTPAddress
    /// See ``RESTServer/partition``.
    let partition: String
    /// Whether "not modified" answers the request.
    let wasConditional: Bool
    let response: Response
    let rules: ErrorRules

    public var status: Int { response.head.status.code }
    public var fields: HTTPFields { response.head.headerFields }
    public var body: [UInt8] { response.body }

    /// What an error says, where the definition's `error.text` points to; fit for a message.
    public var text: String? { rawText.map(Quotation.plain) }

    /// Whether an error says a text in small letters, however it is written.
    public func says(_ text: String) -> Bool { rawText?.lowercased().contains(text) == true }

    /// A text of the body, at a path.
    public func text(at path: JSONPath) -> String? { BodyValues.value(path, in: body)?.textOnly }

    var rawText: String? { rules.text.flatMap { text(at: $0) } }

    /// The validator to send with the next request for the same.
    var validator: Validator {
        let validator = Validator(entityTag: fields[.eTag], lastModified: fields[.lastModified])
        guard validator.usableEntityTag != nil || validator.lastModified != nil else { return Validator() }
        return Validator(
            entityTag: validator.usableEntityTag, lastModified: validator.lastModified, partition: partition)
    }

    /// Where a redirect that no layer followed points to; nil for any other answer.
    var redirectTarget: HTTPAddress? {
        guard (300...399).contains(status), status != 304 else { return nil }
        return fields[.location].flatMap(address.resolving)
    }

    /// Whether an answer below 400 is an error by the definition's mark.
    var isMarkedAsError: Bool {
        switch rules.mark {
        case nil: false
        case .present(let path): BodyValues.value(path, in: body)?.isMark == true
        case .absent(let path): BodyValues.value(path, in: body)?.isMark != true
        }
    }

    /// Whether the body holds what was requested.
    var isSuccess: Bool { (200...299).contains(status) && status != 202 && !isMarkedAsError }

    /// Whether an answer ends a list by its status and text.
    func isEnd(_ end: ListEnd) -> Bool { status == end.status && end.text.map(says) != false }

    /// The body as rows.
    ///
    /// - Parameter noun: what the body should be, for messages.
    func decoded<Value>(
        _ noun: String, of resource: Resource, by decode: ([UInt8]) throws -> Value
    ) throws -> Value {
        do {
            return try decode(body)
        } catch let fault as RowFault {
            let context = fault.context.merging(["resource": resource.collection.name]) { own, _ in own }
            throw invalid("it is not \(noun): \(fault.sentence)").adding(context)
        }
    }

    /// The error for an answer that does not fit the definition.
    func invalid(_ problem: String) -> PatchbayError {
        PatchbayError(
            .invalidResponse, "the answer of \(address.display) cannot be used: \(problem)", context)
    }

    /// Where it happened, for every error about this answer.
    var context: [String: String] {
        var context = ["url": address.display, "status": String(status)]
        for name in RESTAnswer.requestIDs {
            if let value = fields[name] { context[name.canonicalName] = Quotation.plain(value) }
        }
        return context
    }

    /// The header fields that name a request for a server's support.
    private static let requestIDs = ["x-request-id", "x-github-request-id", "x-slack-req-id"]
        .compactMap { HTTPField.Name($0) }
}

extension BodyValues.Value {
    fileprivate var textOnly: String? { if case .text(let text) = self { text } else { nil } }
}

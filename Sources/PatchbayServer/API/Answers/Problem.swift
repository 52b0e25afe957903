import HTTPTypes
import PatchbayCore
import PatchbayJSON
import PatchbayNetworking

/// The reason why a request failed, as sent to the client: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable {
    let status: HTTPResponse.Status
    /// The kind of failure, as listed in Docs/Errors.md; nil when the status is enough.
    let code: PatchbayError.Code?
    /// What happened, to what, and what to do, without secrets.
    let detail: String
    /// The wrong parameter, header field or member of the body; nil if there is none.
    var parameter: String?
    /// The time when a rate-limited source accepts requests again.
    var retryAt: Timestamp?
    var fields = HTTPFields()

    init(
        _ status: HTTPResponse.Status, _ code: PatchbayError.Code?, _ detail: String, parameter: String? = nil
    ) {
        self.status = status
        self.code = code
        self.detail = detail.withoutSecrets
        self.parameter = parameter
    }

    /// Returns the problem of an invalid parameter.
    static func invalid(_ parameter: String, _ detail: String) -> Problem {
        Problem(.badRequest, .invalidValue, "\(parameter): \(detail)", parameter: parameter)
    }

    static func notFound(_ detail: String, parameter: String? = nil) -> Problem {
        Problem(.notFound, .notFound, detail, parameter: parameter)
    }

    var response: ServerResponse {
        var head = HTTPResponse(status: status, headerFields: fields)
        head.headerFields[.contentType] = "application/problem+json"
        head.headerFields[.cacheControl] = "no-store"
        var json = JSONWriter()
        json.value(body)
        json.newline()
        return ServerResponse(head: head, body: .whole(json.bytes))
    }

    private var body: JSONValue {
        let type = code.map { "urn:patchbay:error:" + $0.rawValue.replacing(" ", with: "-") }
        var members: [(name: String, value: JSONValue)] = [
            ("type", .text(type ?? "about:blank")),
            ("title", .text(code?.rawValue ?? status.reasonPhrase)),
            ("status", JSONValue(Int64(status.code))), ("detail", .text(detail)),
        ]
        if let code { members.append(("code", .text(code.rawValue))) }
        if let parameter { members.append(("parameter", .text(parameter))) }
        if let retryAt { members.append(("retry_at", .text(retryAt.description))) }
        return .object(members)
    }

    /// The schema of the body.
    static let schema: JSONValue = [
        "type": "object", "required": ["type", "title", "status", "detail", "code"],
        "properties": [
            "type": ["type": "string", "format": "uri"], "title": ["type": "string"],
            "status": ["type": "integer", "minimum": 400, "maximum": 599],
            "detail": ["type": "string", "description": "What happened, to what, and what to do."],
            "code": [
                "description": "The kind of failure, as in Docs/Errors.md.",
                "enum": JSONValue(PatchbayError.Code.allCases.map(\.rawValue)),
            ],
            "parameter": [
                "type": "string",
                "description": "The wrong parameter, header field or member of the body.",
            ],
            "retry_at": ["type": "string", "format": "date-time"],
        ],
    ]
}

extension String {
    private static let secrets = SecretFilter()

    /// The text without the secrets that are recognized by their places and shapes. A message may quote an address from
    /// an answer of the source.
    var withoutSecrets: String { Self.secrets.cleaned(self) }
}

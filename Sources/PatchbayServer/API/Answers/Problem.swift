package import HTTPTypes
package import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayNetworking

/// The reason why a request failed, as sent to the client: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable {
    let status: HTTPResponse.Status
    /// The kind of failure, as listed in Docs/Errors.md; nil when the status is enough.
    let code: PatchbayError.Code?
    /// What happened, to what, and what to do, without secrets.
    var detail: String
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
        return ServerResponse(head: head, body: .whole(body.line + [UInt8(ascii: "\n")]))
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

extension Problem {
    /// Creates the problem that reports an error of a use case to a client.
    ///
    /// - Parameter now: the time from which `Retry-After` counts.
    init(_ error: any Error, at now: Timestamp) {
        if let problem = error as? Problem {
            self = problem
            return
        }
        guard let error = error as? PatchbayError else {
            let isCancelled = error is CancellationError
            self.init(
                isCancelled ? .serviceUnavailable : .internalServerError,
                isCancelled ? .cancelled : .internalError,
                isCancelled ? "the server is stopping; try again later" : "an unexpected error occurred")
            return
        }
        self.init(Self.status(of: error), error.code, error.message)
        retryAt = error.retryAt
        if let retryAt {
            fields.setRetryAfter(retryAt, now: now)
        } else if error.code == .busy {
            fields[.retryAfter] = "1"
        }
    }

    /// A refusal of the source concerns the row. Rejected credentials are the gateway's and not the client's, so they
    /// are a bad gateway.
    private static func status(of error: PatchbayError) -> HTTPResponse.Status {
        switch error.refusal?.kind {
        case .blocked: return .unavailableForLegalReasons
        case .forbidden: return .forbidden
        case .removed: return .gone
        case .missing: return .notFound
        case nil: break
        }
        if error.isNotRecorded { return .gatewayTimeout }
        return switch error.code {
        // The storage was removed, or another process has changed its schema.
        case .notFound where error.file != nil, .unsupported where error.file != nil: .internalServerError
        // A status shows that the source cannot do it; otherwise the gateway cannot.
        case .unsupported where error.status != nil: .badGateway
        case .invalidValue, .unsupported: .badRequest
        case .notFound: .notFound
        case .conflict: .conflict
        case .storageFull: .insufficientStorage
        case .busy, .offline, .cancelled: .serviceUnavailable
        case .rateLimited: .tooManyRequests
        case .unauthorized, .invalidResponse: .badGateway
        case .permissionDenied: .forbidden
        case .invalidConfiguration, .corrupted, .internalError: .internalServerError
        }
    }
}

extension HTTPResponse.Status {
    /// 507 (RFC 4918): the storage is full.
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension HTTPFields {
    /// Sets `Retry-After` to the whole seconds until a time, but at least one.
    mutating func setRetryAfter(_ time: Timestamp, now: Timestamp) {
        self[.retryAfter] = String(Swift.max(1, (time.milliseconds - now.milliseconds + 999) / 1_000))
    }
}

extension ServerResponse {
    /// Returns an answer that reports a problem (RFC 9457).
    ///
    /// - Parameters:
    ///   - detail: what happened, to what, and what to do; never a secret.
    ///   - code: the code in Docs/Errors.md, if there is one.
    ///   - fields: header fields that belong to the status, such as `Allow`.
    package static func problem(
        _ status: HTTPResponse.Status, _ detail: String, code: PatchbayError.Code? = nil,
        _ fields: HTTPFields = [:]
    ) -> ServerResponse {
        var problem = Problem(status, code, detail)
        problem.fields = fields
        return problem.response
    }
}

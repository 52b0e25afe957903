import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

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
        if error.isNotRecorded { return .notFound }
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

import HTTPTypes
import PatchbayCore

/// Decides whether a request is sent again, and remembers which retries are allowed only once.
struct RetryJudge {
    private var hasRepeatedUnauthorized = false
    private var hasRepeatedMissing = false

    /// The way in which a request is sent again.
    struct Again {
        var pauseMin = Duration.zero
        /// Whether caches on the way must revalidate with the server.
        var isPastCaches = false
    }

    /// Returns nil when the result is final.
    mutating func again(
        _ result: Result<Response, any Error>, _ request: HTTPRequest, _ now: Timestamp
    ) -> Again? {
        switch result {
        case .failure(let error): (error as? PatchbayError)?.code == .offline ? Again() : nil
        case .success(let response): again(response, request, now)
        }
    }

    private mutating func again(_ response: Response, _ request: HTTPRequest, _ now: Timestamp) -> Again? {
        let fields = response.head.headerFields
        switch response.head.status.code {
        case 202 where request.method == .get, 408, 500, 502...504, 506...510, 512...599:
            return Again(pauseMin: RetryAfter(fields)?.delay(from: fields, now: now) ?? .zero)
        case 401 where !hasRepeatedUnauthorized && !response.mentionsBadCredentials:
            hasRepeatedUnauthorized = true
            return Again()
        case 404 where !hasRepeatedMissing && fields[.eTag] != nil && !request.isPastCaches:
            hasRepeatedMissing = true
            return Again(isPastCaches: true)
        default: return nil
        }
    }
}

extension Response {
    /// Whether the server reports the token as invalid. Such an answer is short.
    fileprivate var mentionsBadCredentials: Bool {
        String(decoding: body.prefix(16_384), as: UTF8.self).lowercased().contains("bad credentials")
    }
}

extension HTTPRequest {
    /// Whether the request makes caches on the way revalidate with the server.
    var isPastCaches: Bool { headerFields[.cacheControl]?.contains("no-cache") ?? false }
}

extension HTTPRequest.Method {
    /// Whether sending a request twice has the effect of sending it once (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .put, .delete: true
        default: false
        }
    }
}

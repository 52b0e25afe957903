import HTTPTypes

/// How a cache came in, as the field `Cache-Status` says it (RFC 9211).
struct CacheStatus: Sendable {
    /// Why a request was sent on.
    enum Reason: String {
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case stale
        /// The client wants it confirmed.
        case request
        case method
        case bypass
    }

    private var text = "patchbay"

    /// Answered by the cache.
    static func hit(secondsLeft: Int) -> CacheStatus {
        var status = CacheStatus()
        status.text += "; hit; ttl=\(secondsLeft)"
        return status
    }

    /// Sent on, with what was answered; nil when no answer came.
    static func forwarded(_ reason: Reason, status code: Int?, isStored: Bool = false) -> CacheStatus {
        var status = CacheStatus()
        status.text += "; fwd=\(reason.rawValue)"
        if let code { status.text += "; fwd-status=\(code)" }
        if isStored { status.text += "; stored" }
        return status
    }

    /// The same with a word about it.
    func adding(detail: String) -> CacheStatus {
        var status = self
        status.text += "; detail=\(detail)"
        return status
    }

    /// Notes it in an answer; caches that are nearer the server come first.
    func add(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .cacheStatus, value: text))
    }

    /// The word of a log for a field: `hit`, `fwd=stale`.
    static func word(_ field: String) -> String? {
        let mine = field.split(separator: ",").last { $0.drop { $0 == " " }.hasPrefix("patchbay") }
        return mine?.split(separator: ";").dropFirst().first.map { String($0.drop { $0 == " " }) }
    }
}

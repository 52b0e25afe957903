import HTTPTypes
import PatchbayCore

/// The role of this cache in an answer, for the field `Cache-Status` (RFC 9211).
struct CacheStatus: Sendable, Equatable {
    /// Why a request was forwarded.
    enum Reason: String {
        case uriMiss = "uri-miss"
        case stale
        /// The client requires a confirmed answer.
        case request
        case method
        case bypass
    }

    private var parameters = ""
    private var secondsLeft: Int?
    private var detail: String?

    /// The value of the field, which belongs after the values of caches closer to the server.
    var text: String {
        "patchbay" + parameters + (secondsLeft.map { "; ttl=\($0)" } ?? "")
            + (detail.map { "; detail=\($0)" } ?? "")
    }

    /// Returns the status of an answer from the cache.
    static func hit(secondsLeft: Int) -> CacheStatus {
        CacheStatus(parameters: "; hit", secondsLeft: secondsLeft)
    }

    /// Returns the status of a forwarded request, with the status code of its answer; nil without an answer.
    static func forwarded(_ reason: Reason, status code: Int?, isStored: Bool = false) -> CacheStatus {
        var parameters = "; fwd=\(reason.rawValue)"
        if let code { parameters += "; fwd-status=\(code)" }
        if isStored { parameters += "; stored" }
        return CacheStatus(parameters: parameters)
    }

    func adding(detail: String) -> CacheStatus {
        var status = self
        status.detail = detail
        return status
    }

    /// Returns the field that this cache added to an answer, which is the last one.
    static func field(of response: ServerResponse) -> String? {
        let isMeant = { (field: HTTPField) in field.name == .cacheStatus }
        let own =
            response.head.headerFields.last(where: isMeant)
            ?? response.shared.last { $0.contains(.cacheStatus) }?.fields.last(where: isMeant)
        return own?.value
    }

    /// Returns the part of a field that logs show: `hit`, `fwd=stale`.
    static func word(_ field: String) -> String? {
        own(field).map { String($0.prefix { $0 != ";" }) }
    }

    /// Returns the origin of an answer for metrics: `hit`, `stale` if it was stored and the source failed, or the
    /// reason for a request to the source.
    static func kind(_ field: String) -> String? {
        let hit = "patchbay; hit"
        if field == hit { return "hit" }
        if field.hasPrefix(hit), let last = field.utf8.last {
            // It ends with the digits of its lifetime, or with the detail of a stale answer.
            return last.isASCIIDigit ? "hit" : "stale"
        }
        guard let own = own(field), own.hasPrefix("fwd=") else { return nil }
        return String(own.dropFirst(4).prefix { $0 != ";" })
    }

    /// Returns the parameters of this cache's entry.
    private static func own(_ field: String) -> Substring? {
        let name = "patchbay; "
        return field.hasPrefix(name) ? Substring(field.utf8.dropFirst(name.utf8.count)) : nil
    }
}

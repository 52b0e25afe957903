import HTTPTypes

/// The role of this cache in an answer, for the field `Cache-Status` (RFC 9211).
struct CacheStatus: Sendable {
    /// Why a request was forwarded.
    enum Reason: String {
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case stale
        /// The client requires a confirmed answer.
        case request
        case method
        case bypass
    }

    private var text = "patchbay"

    /// Returns the status of an answer from the cache.
    static func hit(secondsLeft: Int) -> CacheStatus {
        var status = CacheStatus()
        status.text += "; hit; ttl=\(secondsLeft)"
        return status
    }

    /// Returns the status of a forwarded request, with the status code of its answer; nil without an answer.
    static func forwarded(_ reason: Reason, status code: Int?, isStored: Bool = false) -> CacheStatus {
        var status = CacheStatus()
        status.text += "; fwd=\(reason.rawValue)"
        if let code { status.text += "; fwd-status=\(code)" }
        if isStored { status.text += "; stored" }
        return status
    }

    /// Returns the status with a detail.
    func adding(detail: String) -> CacheStatus {
        var status = self
        status.text += "; detail=\(detail)"
        return status
    }

    /// Appends the status to an answer's fields, after those of caches closer to the server.
    func add(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .cacheStatus, value: text))
    }

    /// Returns the part of a field that logs show: `hit`, `fwd=stale`.
    static func word(_ field: String) -> String? { own(field).first.map { String(Substring($0)) } }

    /// Returns the origin of an answer for metrics: `hit`, `stale` if it was stored and the source failed, or the
    /// reason for a request to the source.
    static func kind(_ field: String) -> String? {
        let parts = own(field)
        guard let word = parts.first else { return nil }
        if word.elementsEqual("hit".utf8) {
            return parts.last?.starts(with: " detail=".utf8) == true ? "stale" : "hit"
        }
        let reason = "fwd=".utf8
        return word.starts(with: reason) ? String(Substring(word.dropFirst(reason.count))) : nil
    }

    /// Returns the parameters of this cache's entry, which is the last; earlier entries are from caches closer to the
    /// server.
    private static func own(_ field: String) -> [Substring.UTF8View] {
        let comma = field.utf8.lastIndex(of: UInt8(ascii: ","))
        let own = field.utf8[(comma.map(field.utf8.index(after:)) ?? field.startIndex)...].drop { $0 == 0x20 }
        let name = "patchbay; ".utf8
        return own.starts(with: name) ? own.dropFirst(name.count).split(separator: UInt8(ascii: ";")) : []
    }
}

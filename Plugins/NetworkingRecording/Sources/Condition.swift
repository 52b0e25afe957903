import HTTPTypes
import PatchbayCore

/// The condition of a request that wants an answer only if it has changed (RFC 9110, section 13.1).
struct Condition {
    /// The list of `If-None-Match`.
    private let entityTags: String?
    private let modifiedSince: String?

    init(_ request: HTTPRequest) {
        let isRead = request.method == .get || request.method == .head
        entityTags = isRead ? request.headerFields[.ifNoneMatch] : nil
        modifiedSince = isRead && entityTags == nil ? request.headerFields[.ifModifiedSince] : nil
    }

    /// Whether the request has a condition.
    var isPresent: Bool { entityTags != nil || modifiedSince != nil }

    /// Whether the client already has this answer, so that it gets 304.
    func isKnown(_ answer: HTTPFields) -> Bool {
        if let entityTags { return EntityTag.isListed(answer[.eTag], in: entityTags) }
        guard let modifiedSince else { return false }
        return answer[.lastModified] == modifiedSince
    }
}

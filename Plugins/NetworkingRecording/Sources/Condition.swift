import HTTPTypes

/// The condition of a request that wants an answer only if it has changed (RFC 9110, section 13.1).
struct Condition {
    private let entityTags: [EntityTag]?
    private let modifiedSince: String?

    init(_ request: HTTPRequest) {
        let isRead = request.method == .get || request.method == .head
        entityTags = isRead ? request.headerFields[.ifNoneMatch].map(EntityTag.list) : nil
        modifiedSince = isRead && entityTags == nil ? request.headerFields[.ifModifiedSince] : nil
    }

    /// Whether the client already has this answer, so that it gets 304.
    func isKnown(_ answer: HTTPFields) -> Bool {
        if let entityTags {
            guard let current = answer[.eTag].flatMap(EntityTag.init) else { return false }
            return entityTags.contains { $0.matches(current) }
        }
        guard let modifiedSince else { return false }
        return answer[.lastModified] == modifiedSince
    }
}

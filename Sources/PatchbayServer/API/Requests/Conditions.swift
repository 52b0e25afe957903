import HTTPTypes
import PatchbayCore

/// The preconditions of a request (RFC 9110, section 13).
struct Conditions: Sendable {
    let ifMatch: TagList?
    let ifNoneMatch: TagList?

    init(_ fields: HTTPFields) {
        ifMatch = fields[.ifMatch].map { TagList($0) }
        ifNoneMatch = fields[.ifNoneMatch].map { TagList($0) }
    }

    /// Whether the client already has the answer of the current revision, so that nothing needs to be read.
    func hasRevision(of tag: AnswerTag) -> Bool {
        ifNoneMatch?.tags.contains { tag.isOfSameRevision(as: $0.tag) } ?? false
    }

    /// Whether the client already has this answer.
    func hasContent(of tag: AnswerTag) -> Bool {
        guard let ifNoneMatch else { return false }
        return ifNoneMatch.isAny || ifNoneMatch.tags.contains { tag.isOfSameAnswer(as: $0.tag) }
    }

    /// Whether the conditions allow a change to the row with this tag. A weak tag matches nothing (strong comparison).
    func allowsChange(of tag: AnswerTag) -> Bool {
        guard let ifMatch else { return true }
        return ifMatch.isAny || ifMatch.tags.contains { !$0.isWeak && tag.isOfSameContent(as: $0.tag) }
    }

    /// Whether `If-Match` has a tag of this row that a proxy on the way has made weak, as for a compressed answer.
    func hasWeakened(_ tag: AnswerTag) -> Bool {
        ifMatch?.tags.contains { $0.isWeak && tag.isOfSameContent(as: $0.tag) } ?? false
    }
}

/// The tags of `If-Match` or `If-None-Match`.
struct TagList: Sendable {
    /// Whether the field is `*`.
    let isAny: Bool
    /// The tags that this API may have written; others match nothing.
    private(set) var tags: [(tag: AnswerTag, isWeak: Bool)] = []

    /// The maximum number of tags that are read.
    private static let countMax = 64

    init(_ field: String) {
        isAny = field[...].trimmingSpace == "*"
        guard !isAny else { return }
        for tag in EntityTag.tags(in: field).prefix(Self.countMax) {
            guard let known = AnswerTag(EntityTag.opaque(tag).dropFirst().dropLast()) else { continue }
            tags.append((known, tag.hasPrefix("W/")))
        }
    }
}

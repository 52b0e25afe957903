public import PatchbayCore

/// Why a source does not return a row that was requested on its own. It is the cause of the error that the source
/// throws, and is stored with the row.
///
/// A refused row stays as it is and stays in lists. A rate limit or rejected credentials are not refusals, because they
/// say nothing about the row.
public struct Refusal: Error, Hashable, Sendable {
    /// The kinds of refusal.
    public enum Kind: String, Sendable, CaseIterable {
        /// The law or the source's terms forbid returning it (451).
        case blocked
        /// The credentials lack a permission (403).
        case forbidden
        /// The source reports that it existed and no longer does (410).
        case removed
        /// The source reports that it does not exist, or hides it from these credentials (404). It is still shown if a
        /// list contains the row.
        case missing
    }

    /// Whether the row is blocked, removed or missing, or the credentials lack a permission.
    public var kind: Kind
    /// The reason that the source gave.
    public var reason: String?

    /// Creates a refusal; the reason is nil when the source gave none.
    public init(_ kind: Kind, reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }
}

extension Refusal: CustomStringConvertible {
    /// The kind, and the reason after a colon if there is one: `blocked: DMCA takedown`.
    public var description: String { kind.rawValue + (reason.map { ": \($0)" } ?? "") }
}

extension PatchbayError {
    /// The refusal that the error reports; nil for any other error.
    public var refusal: Refusal? { cause as? Refusal }
}

/// A refusal and the time of the last request that was refused.
package struct StoredRefusal: Hashable, Sendable {
    /// The newest refusal.
    package var refusal: Refusal
    /// The time of the refused request.
    package var since: Timestamp

    /// Creates a refusal of the request at a time.
    package init(_ refusal: Refusal, since: Timestamp) {
        self.refusal = refusal
        self.since = since
    }
}

/// The columns of a refusal, three consecutive ones in a row.
struct RefusalColumns: Sendable {
    let kind: RowColumn<String?>
    let reason: RowColumn<String?>
    let since: RowColumn<Timestamp?>

    init(at position: Int) {
        kind = RowColumn(position, "refusal")
        reason = RowColumn(position + 1, "refusal_reason")
        since = RowColumn(position + 2, "refused_at_ms")
    }

    var fields: [Field] { [kind.field, reason.field, since.field] }

    func read(_ row: borrowing RowView) -> StoredRefusal? {
        guard let since = row[since], let kind = row[kind].flatMap(Refusal.Kind.init) else { return nil }
        return StoredRefusal(Refusal(kind, reason: row[reason]), since: since)
    }

    func write(_ refusal: StoredRefusal?, to row: inout RowBuilder) {
        row[kind] = refusal?.refusal.kind.rawValue
        row[reason] = refusal?.refusal.reason
        row[since] = refusal?.since
    }
}

public import PatchbayCore

/// Why a source does not tell about a row that is asked for alone: the cause of the error that it throws, and what is
/// kept beside the row.
///
/// A row that is refused stays as it is and stays in lists. A rate limit and credentials that are not
/// accepted are no refusals: they say nothing about the row.
public struct Refusal: Error, Hashable, Sendable {
    /// What kind of refusal it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// The law or the source's terms keep it from telling (451).
        case blocked
        /// The credentials lack a permission (403).
        case forbidden
        /// The source says that it was there and is not any more (410).
        case removed
        /// The source says that there is no such thing, or hides it from these credentials (404). A list that holds the
        /// row decides whether it is shown.
        case missing
    }

    public var kind: Kind
    /// What the source gives as its reason.
    public var reason: String?

    public init(_ kind: Kind, reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }
}

extension Refusal: CustomStringConvertible {
    public var description: String { kind.rawValue + (reason.map { ": \($0)" } ?? "") }
}

extension PatchbayError {
    /// The refusal that the error reports; nil for any other error.
    public var refusal: Refusal? { cause as? Refusal }
}

/// A refusal with when the source was last asked in vain.
public struct StoredRefusal: Hashable, Sendable {
    public var refusal: Refusal
    public var since: Timestamp

    public init(_ refusal: Refusal, since: Timestamp) {
        self.refusal = refusal
        self.since = since
    }
}

/// The columns of a refusal, three that follow one another in a row.
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

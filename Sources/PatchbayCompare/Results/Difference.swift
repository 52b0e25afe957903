/// The first place where a subject answered otherwise than the reference: storages must not differ in what they say.
public struct Difference: Sendable, Hashable {
    public var workload: String
    public var rows: Int
    /// The subject's name.
    public var subject: String
    /// The name of the subject that it was compared with, the first one.
    public var reference: String
    /// What was asked: `get users 4711`.
    public var query: String
    /// The key of the row, as text; empty when the answer has no rows.
    public var key: String
    /// The field that differs; nil when the whole row is missing, too many, or in another place.
    public var field: String?
    /// What the reference answered; data from outside.
    public var expected: String
    /// What the subject answered; data from outside.
    public var found: String

    public init(
        workload: String, rows: Int, subject: String, reference: String, query: String, key: String,
        field: String?, expected: String, found: String
    ) {
        self.workload = workload
        self.rows = rows
        self.subject = subject
        self.reference = reference
        self.query = query
        self.key = key
        self.field = field
        self.expected = expected
        self.found = found
    }
}

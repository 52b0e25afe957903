/// The first place where a subject answered otherwise than the reference: storages must not differ in what they say.
package struct Difference: Sendable, Hashable {
    package var workload: String
    package var rows: Int
    /// The subject's name.
    package var subject: String
    /// The name of the subject that it was compared with, the first one.
    package var reference: String
    /// What was asked: `get users 4711`.
    package var query: String
    /// The key of the row, as text; empty when the answer has no rows.
    package var key: String
    /// The field that differs; nil when the whole row is missing, too many, or in another place.
    package var field: String?
    /// What the reference answered; data from outside.
    package var expected: String
    /// What the subject answered; data from outside.
    package var found: String

    package init(
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

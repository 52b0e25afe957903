/// The first answer in which a subject differs from the reference. All storages must give the same answers.
package struct Difference: Sendable, Hashable {
    package var workload: String
    package var rows: Int
    /// The subject's name.
    package var subject: String
    /// The name of the subject that it was compared with, which is the first one.
    package var reference: String
    /// The query: `get users 4711`.
    package var query: String
    /// The key of the row as text; empty when the answer has no rows.
    package var key: String
    /// The field that differs; nil when the whole row is missing, surplus or in another place.
    package var field: String?
    /// The answer of the reference; untrusted data.
    package var expected: String
    /// The answer of the subject; untrusted data.
    package var found: String
}

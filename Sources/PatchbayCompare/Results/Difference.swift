package import PatchbayCore

/// The first answer in which a subject differs from the reference. All storages must give the same answers.
package struct Difference: Sendable, Hashable, Codable {
    package var workload = ""
    package var rows: Int = 0
    /// The subject's name.
    package var subject = ""
    /// The name of the subject that it was compared with, which is the first one.
    package var reference = ""
    /// The query: `get users 4711`.
    package var query = ""
    /// The key of the row as text; empty when the answer has no rows.
    package var key = ""
    /// The field that differs; nil when the whole row is missing, surplus or in another place.
    package var field: String?
    /// The answer of the reference; untrusted data.
    package var expected = ""
    /// The answer of the subject; untrusted data.
    package var found = ""
}

/// The reason why a subject could not be measured to the end.
package struct SubjectFailure: Sendable, Hashable, Codable {
    /// The subject's name.
    package var subject = ""
    /// The workload in which it failed; nil when it failed outside of one.
    package var workload: String?
    package var rows: Int = 0
    package var code = PatchbayError.Code.internalError
    /// One line about what happened; may quote untrusted text.
    package var message = ""
}

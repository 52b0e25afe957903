package import PatchbayCore

/// The reason why a subject could not be measured to the end.
package struct SubjectFailure: Sendable, Hashable {
    /// The subject's name.
    package var subject = ""
    /// The workload in which it failed; nil when it failed outside of one.
    package var workload: String?
    package var rows: Int = 0
    package var code = PatchbayError.Code.internalError
    /// One line about what happened; may quote untrusted text.
    package var message = ""
}

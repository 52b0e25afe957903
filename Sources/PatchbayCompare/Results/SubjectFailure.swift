package import PatchbayCore

/// Why a subject could not be measured to the end.
package struct SubjectFailure: Sendable, Hashable {
    /// The subject's name.
    package var subject: String
    /// The workload that it failed in; nil when it was none of them.
    package var workload: String?
    package var rows: Int
    package var code: PatchbayError.Code
    /// What happened, in one line; may quote text from outside.
    package var message: String

    package init(
        subject: String, workload: String?, rows: Int, code: PatchbayError.Code, message: String
    ) {
        self.subject = subject
        self.workload = workload
        self.rows = rows
        self.code = code
        self.message = message
    }
}

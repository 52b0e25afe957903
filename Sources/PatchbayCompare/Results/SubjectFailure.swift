public import PatchbayCore

/// Why a subject could not be measured to the end.
public struct SubjectFailure: Sendable, Hashable {
    /// The subject's name.
    public var subject: String
    /// The workload that it failed in; nil when it was none of them.
    public var workload: String?
    public var rows: Int
    public var code: PatchbayError.Code
    /// What happened, in one line; may quote text from outside.
    public var message: String

    public init(
        subject: String, workload: String?, rows: Int, code: PatchbayError.Code, message: String
    ) {
        self.subject = subject
        self.workload = workload
        self.rows = rows
        self.code = code
        self.message = message
    }
}

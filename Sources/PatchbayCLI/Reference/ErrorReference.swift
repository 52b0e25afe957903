import PatchbayCore

/// The kinds of failure with exit status and advice; Docs/Errors.md is this text.
public enum ErrorReference {
    public static var markdown: String {
        let rows = PatchbayError.Code.allCases.map { code in
            "| \(ExitStatus(code).rawValue) | \(code) | \(code.isRetryable ? "yes" : "no") | \(advice(code)) |"
        }
        return """
            # Errors and exit statuses

            Written from the code by `make pages`; a test keeps it true. Every failure is one line on standard error
            that says what happened, to what, and where. A status of 0 is success, also when nobody reads the output
            any more (`patchbay users list | head`); \(ExitStatus.usage.rawValue) is a wrong option or argument.
            When stored rows are shown because the source could not be asked, the status is 0 and standard error says
            so; with `--strict` it is \(ExitStatus.incomplete.rawValue), as it is when rows are missing. Ctrl-C while
            a source is awaited prints the stored rows and ends the command by the signal, which shells report as 130.
            A status of
            \(ExitStatus.differences.rawValue) is that of `patchbay compare` when storages answered differently,
            \(ExitStatus.regression.rawValue) when something is worse than in the baseline of `--regress`.

            | status | code | may pass by itself | what to do |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    /// What to do about a kind of failure.
    static func advice(_ code: PatchbayError.Code) -> String {
        switch code {
        case .invalidConfiguration:
            "Correct the key or file that the message names; `patchbay config check` tells all at once."
        case .invalidValue: "The value or limit that the message names cannot be kept; change it."
        case .notFound: "There is no such thing, or the source hides it; check the name."
        case .conflict: "Another row holds the value, or something changed meanwhile; look, then try again."
        case .corrupted:
            "Stored data is damaged; keep the file, restore a backup or fetch into a new storage."
        case .storageFull: "Free some space; nothing that was stored is lost."
        case .permissionDenied: "Give yourself the permission that the message names, or choose another path."
        case .busy: "Another process holds the storage; wait for it or end it."
        case .offline: "The source cannot be reached; try later, or read with `--offline`."
        case .rateLimited: "The source's limit is used up; the message says until when."
        case .unauthorized: "The token is missing, wrong or expired."
        case .unsupported: "This storage, source or version cannot do it; the message says what can."
        case .invalidResponse: "The source, or a recording of it, answered something that is not its API."
        case .cancelled: "The caller ended it before it was done; what was saved stays."
        case .internalError: "A defect of Patchbay or of the system below; please report the line."
        }
    }
}

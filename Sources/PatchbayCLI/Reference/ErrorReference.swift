import PatchbayCore

/// The kinds of failure with exit status and advice, Docs/Errors.md.
package enum ErrorReference {
    /// The page in Markdown: exit statuses, and a table of all error codes with advice.
    package static var markdown: String {
        let rows = PatchbayError.Code.allCases.map { code in
            "| \(ExitStatus(code).rawValue) | \(code) | `.\(swiftName(code))` "
                + "| \(code.isRetryable ? "yes" : "no") | \(advice(code)) |"
        }
        return """
            # Errors and exit statuses

            Generated from the code by `make pages`; a test keeps it up to date. Every failure is one line on standard
            error that states what happened, to what, and where. In a program, the line is the `summary` of a
            `PatchbayError`; `description` puts the code before it. The same facts are values: `code`, `retryAt`,
            `status`, `limit`, `file`, `line`, `byte`, `collection`, `key`, `field` and others;
            [Handling errors](../Sources/Patchbay/Patchbay.docc/HandlingErrors.md) has an example.

            Status 0 is success, including when the reader closes the output early (`patchbay list users | head`).
            \(ExitStatus.usage.rawValue) is a wrong option or argument. When stored rows are shown because the source
            could not be queried, the status is 0 and standard error gives the reason; with `--strict` it is
            \(ExitStatus.incomplete.rawValue), as it is when rows are missing. Ctrl-C during a request prints the stored
            rows and ends the command by the signal, which shells report as 130. `patchbay compare` exits with
            \(ExitStatus.differences.rawValue) when storages answered differently.

            | status | code | in Swift | temporary | what to do |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            ## Incomplete lists

            A list is incomplete if the source answered, but its answers show that rows are missing
            ([Definitions](Definitions.md#the-end-of-a-list)). Standard error has the reason, even with `--quiet`. JSON
            has `complete: false` and `reason`, the JSON API has `complete=?0` and `reason` in `Patchbay-Answer`, and a
            program reads `ItemList.shortfall` or `SyncEnd.incomplete`. Stored rows that were fetched from another
            address or with another token are not complete either, until they are fetched again.

            | outcome | `sync`, `search --all` | `list`, `search` | with `--strict` | `import` |
            |---|---|---|---|---|
            | rows with the key of another row, left out | \(incomplete) | \(incomplete) | \(incomplete) | \(invalid) |
            | rows without a usable key, left out | \(incomplete) | \(incomplete) | \(incomplete) | \(invalid) |
            | the end contradicts the answer | \(incomplete) | 0 | \(incomplete) | |
            | the next page is at another server, or the same page | \(incomplete) | 0 | \(incomplete) | |
            | stored rows, because the source could not be queried | the code's | 0 | \(incomplete) | |
            | stored rows end before the end of the list (`--offline`) | | 0 | \(incomplete) | |
            | fewer results than the source counts, or it ran out of time | \(incomplete) | 0 | \(incomplete) | |

            ## Values that do not fit the definition

            Rows are stored although some values differ from what the definition says. A sync, a list and an import
            report them once, at their end; the exit status does not change, because no row is missing.

            | what the source sent | on standard error | in `/-/syncs` | in a program |
            |---|---|---|---|
            | a value of another type for `?`, stored as null | a line each | `emptied` | `Drift.emptied` |
            | U+0000 or half a pair in a text, stored as U+FFFD | a line each | `altered` | `Drift.altered` |
            | a field in no row of a page, although stored rows have it | a line each | `vanished` | `Drift.vanished` |
            | a member that is new since the last sync, and not read | one line | `appeared` | `Drift.appeared` |
            | a member that no row of a list of 20 has | a line each | `notes` | `SyncEvent.noted` |
            | rows that come twice in every sync, times in the future | a line each | `notes` | `SyncEvent.noted` |

            """
    }

    private static let incomplete = ExitStatus.incomplete.rawValue
    private static let invalid = ExitStatus.invalidValue.rawValue

    /// The name of the case: `rateLimited` for `rate limited`.
    private static func swiftName(_ code: PatchbayError.Code) -> String {
        let words = code.rawValue.split(separator: " ")
        let later = words.dropFirst().map { word -> String in word.prefix(1).uppercased() + word.dropFirst() }
        return String(words[0]) + later.joined()
    }

    /// Returns what to do about a kind of failure.
    static func advice(_ code: PatchbayError.Code) -> String {
        switch code {
        case .invalidConfiguration:
            "Correct the key or file that the message names; `patchbay config check` reports all faults."
        case .invalidValue: "The value or limit that the message names is not valid; change it."
        case .notFound: "It does not exist, or the source hides it; check the name."
        case .conflict:
            "Another row or file is in the way, or something changed meanwhile; check it, then try again."
        case .corrupted:
            "Stored data is damaged; keep the file, restore a backup or fetch into a new storage."
        case .storageFull: "Free some space; stored data is not lost."
        case .permissionDenied: "Give yourself the permission that the message names, or choose another path."
        case .busy:
            "Another process is using the storage, or its server cannot be reached; wait, end the process or start the "
                + "server."
        case .offline: "The source cannot be reached; try again later, or read with `--offline`."
        case .rateLimited: "The source's limit is used up; wait until the time in the message."
        case .unauthorized: "The token is missing, wrong or expired; set a valid one."
        case .unsupported:
            "This storage, source or version cannot do it, or the storage is not open; the message names what can."
        case .invalidResponse:
            "The source, or a recording of it, returned an answer that does not fit its API."
        case .cancelled: "The caller cancelled it before it was done; saved data is kept."
        case .internalError: "A defect of Patchbay or of the system below it; please report the message."
        }
    }
}

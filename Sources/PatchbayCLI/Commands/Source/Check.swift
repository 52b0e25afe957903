import PatchbayCore
import PatchbayTerminal

/// One finding of `patchbay doctor`.
struct Check {
    enum Verdict {
        case ok, warn
        /// A failure, with the exit status that it has in other commands.
        case fail(ExitStatus)

        var word: String {
            switch self {
            case .ok: "ok"
            case .warn: "warn"
            case .fail: "fail"
            }
        }
    }

    let name: String
    let verdict: Verdict
    let finding: String
    let advice: String?

    func named(_ name: String) -> Check {
        Check(name: name, verdict: verdict, finding: finding, advice: advice)
    }

    static func ok(_ name: String, _ finding: String) -> Check {
        Check(name: name, verdict: .ok, finding: finding, advice: nil)
    }

    static func warn(_ name: String, _ finding: String, _ advice: String) -> Check {
        Check(name: name, verdict: .warn, finding: finding, advice: advice)
    }

    static func fail(_ name: String, _ error: any Error, _ advice: String? = nil) -> Check {
        let error = error as? PatchbayError ?? PatchbayError(.internalError, "\(error)")
        return Check(
            name: name, verdict: .fail(ExitStatus(error.code)), finding: error.oneLine,
            advice: advice ?? ErrorReference.advice(error.code))
    }
}

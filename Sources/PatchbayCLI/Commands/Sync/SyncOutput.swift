import Patchbay
import PatchbayTerminal

/// The text of plans and results of syncs.
enum SyncOutput {
    /// Writes the plan of each source, with the source's word if there are several.
    static func write(_ plans: [(source: String, plan: SyncPlan)], as format: OutputFormat) throws {
        if plans.count == 1 {
            let plan = plans[0].plan
            return try RecordWriter(format).write(
                OutputRecord(fields(plan)),
                table: Table([TableColumn("plan"), TableColumn("value", wraps: true)], rows: rows(plan)))
        }
        let columns = [TableColumn("source"), TableColumn("plan"), TableColumn("value", wraps: true)]
        try RecordWriter(format).write(
            plans.map { OutputRecord([("source", .text($0.source))] + fields($0.plan)) },
            table: Table(columns, rows: plans.flatMap { each in rows(each.plan).map { [each.source] + $0 } }))
    }

    private static func fields(_ plan: SyncPlan) -> [(String, OutputValue)] {
        [
            ("requests_min", .integer(Int64(plan.requestsMin))),
            ("requests_max", OutputValue(plan.requestsMax.map(Int64.init))),
            ("conditional", .integer(Int64(plan.conditional))),
            ("pages_done", .integer(plan.pagesDone)),
            ("budget_remaining", OutputValue((plan.budget?.remaining).map(Int64.init))),
            ("budget_resets_at", OutputValue(plan.budget?.resetsAt?.description)),
            ("fits_budget", plan.fitsBudget.map(OutputValue.bool) ?? .null),
        ]
    }

    /// The plan for people.
    private static func rows(_ plan: SyncPlan) -> [[String]] {
        var rows = [["requests", requests(plan)]]
        if plan.pagesDone > 0 { rows.append(["stored before", Count.words(plan.pagesDone, "page")]) }
        if plan.conditional > 0 {
            rows.append(["free", "\(plan.conditional) of them, unless something has changed"])
        }
        if let budget = plan.budget {
            let time = budget.resetsAt.map { " until \($0)" } ?? ""
            rows.append(["rate limit", "\(Count.words(budget.remaining, "request")) left\(time)"])
        }
        if let fits = plan.fitsBudget {
            rows.append(["enough", fits ? "yes" : "no: the sync will wait or stop, and can be resumed later"])
        }
        return rows
    }

    /// Returns the number of requests in words: `4`, `at least 4`, `4 to 9`.
    private static func requests(_ plan: SyncPlan) -> String {
        guard let most = plan.requestsMax else {
            return "at least \(plan.requestsMin); the total is not known yet"
        }
        return most == plan.requestsMin ? "\(most)" : "\(plan.requestsMin) to \(most)"
    }

    /// Describes a plan: `at least 4 requests, 3 of them free if nothing has changed; 57 left until ...`.
    static func line(_ plan: SyncPlan) -> String {
        let count = Count.words(plan.requestsMin, "request")
        var line = plan.requestsMax == plan.requestsMin ? count : "at least \(count)"
        if let most = plan.requestsMax, most != plan.requestsMin { line += ", at most \(most)" }
        if plan.pagesDone > 0 { line = "resumes after page \(plan.pagesDone): " + line }
        if plan.conditional > 0 { line += ", \(plan.conditional) of them free if nothing has changed" }
        if let budget = plan.budget {
            line += "; \(budget.remaining) left" + (budget.resetsAt.map { " until \($0)" } ?? "")
        }
        if plan.fitsBudget == false { line += ", which is not enough for all of them" }
        return line
    }

    /// How to resume an interrupted sync. The flag would start it over.
    static func resumption(isRestart: Bool = false) -> String {
        "run the same command\(isRestart ? " without --restart" : "") to resume"
    }

    /// - Parameters:
    ///   - requests: the number of requests sent.
    ///   - again: how to resume the sync.
    static func line(_ end: SyncEnd, _ progress: SyncProgress, requests: Int, again: String) -> String {
        let verdict =
            switch end {
            case .complete where progress.skipped > 0: "complete except for what was skipped"
            case .complete: "complete"
            case .incomplete: "incomplete; stored rows are kept"
            case .interrupted: "interrupted; \(again)"
            case .limitReached: "stopped at --max-requests; \(again)"
            case .failed where progress.pages == 0 && progress.rows == 0: "stopped"
            // Another attempt would most likely meet the same answer.
            case .failed(let error) where error.code == .invalidResponse: "stopped; stored rows are kept"
            case .failed: "stopped; stored rows are kept; \(again)"
            }
        return Count.words(progress.rows, "row") + changes(progress.changes) + ", "
            + note(progress, requests: requests, budgetLeft: nil)
            + ", \(progress.unchanged) unchanged: \(verdict)"
    }

    /// Describes the changes to stored rows: ` (3 new, 1 no longer listed)`; empty if there were none.
    private static func changes(_ changes: RowChanges) -> String {
        let counts = [
            (changes.added, "new"), (changes.changed, "changed"), (changes.missing, "not listed this time"),
            (changes.gone, "no longer listed"),
        ].filter { $0.0 > 0 }
        let words = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return words.isEmpty ? "" : " (\(words))"
    }

    /// Describes the requests so far: `4 requests, 56 left`.
    static func note(_ progress: SyncProgress, requests: Int, budgetLeft: Int?) -> String {
        var parts = [Count.words(requests, "request")]
        if progress.skipped > 0 { parts.append("\(progress.skipped) skipped") }
        if let budgetLeft { parts.append("\(budgetLeft) left") }
        return parts.joined(separator: ", ")
    }
}

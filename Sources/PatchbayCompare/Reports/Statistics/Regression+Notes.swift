internal import PatchbayCore

extension Regression {
    /// The settings that differ, so that the answers may differ as well.
    static func workDiffers(_ comparison: Comparison, _ baseline: Comparison) -> [String] {
        let (now, before) = (comparison.settings, baseline.settings)
        let pairs: [(String, String, String)] = [
            ("seed", "\(before.seed)", "\(now.seed)"),
            ("rounds", "\(before.rounds)", "\(now.rounds)"),
            ("seconds", "\(before.seconds)", "\(now.seconds)"),
            (
                "workloads", before.workloads.joined(separator: ","),
                now.workloads.joined(separator: ",")
            ),
            ("threads", "\(before.threads)", "\(now.threads)"),
            ("durability", before.durability?.rawValue ?? "its own", now.durability?.rawValue ?? "its own"),
            ("recording", before.recording ?? "none", now.recording ?? "none"),
        ]
        return pairs.filter { $0.1 != $0.2 }.map { "\($0.0) was \"\($0.1)\" and is \"\($0.2)\"" }
    }

    static func notes(_ comparison: Comparison, _ baseline: Comparison, compared: Int) -> [String] {
        var notes: [String] = []
        if compared == 0 {
            notes.append(
                "no results in common: no subject, workload and number of rows is in both")
        }
        let work = workDiffers(comparison, baseline)
        if !work.isEmpty {
            notes.append("the answers were not compared: " + work.joined(separator: ", "))
        }
        if comparison.machine != baseline.machine {
            notes.append("the machine is another one, so the speeds are not comparable")
        }
        if !comparison.isComplete { notes.append("the comparison is incomplete") }
        if !baseline.isComplete { notes.append("the baseline is incomplete") }
        return notes
    }
}

extension Regression.Change {
    init(
        _ result: WorkloadResult, _ measure: Regression.Measure, before: String, now: String, factor: Double?,
        isBetter: Bool = false
    ) {
        self.init(
            workload: result.workload, rows: result.rows, subject: result.subject, measure: measure,
            before: before, now: now, factor: factor, isBetter: isBetter)
    }
}

extension Regression.Change: CustomStringConvertible {
    /// One line: `get-key, 100,000 rows, lmdb: write calls per operation 3 → 6 (2×, allowed 1.1×)`.
    ///
    /// It contains the subject's name unescaped.
    package var description: String {
        let place = "\(workload), \(Quantity.count(rows)) rows, \(subject)"
        let allowed =
            Regression.tolerance(measure).map { ", allowed \(Quantity.decimal(1 + $0.part))×" } ?? ""
        let growth = factor.map { " (\(Quantity.decimal($0))×\(isBetter ? "" : allowed))" } ?? ""
        return "\(place): \(measure.rawValue) \(before) → \(now)\(growth)"
    }
}

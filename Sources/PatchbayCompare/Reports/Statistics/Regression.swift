internal import PatchbayCore

/// The changes since an earlier comparison, the baseline, judged by counts and not by time.
///
/// Answers, bytes and calls are the same on every machine and in every run, within the tolerances below. Times are not,
/// so speeds are only information and never a regression.
package struct Regression: Sendable, Hashable {
    /// A figure that differs from the baseline.
    package struct Change: Sendable, Hashable {
        /// The result of the baseline.
        package let old: WorkloadResult
        package let measure: Measure
        /// The figure before and now, as text with its unit.
        package let before: String
        package let now: String
        /// The figure now divided by the figure before; nil when it is not a number, or was zero.
        package var factor: Double?
        /// Whether it has become better.
        package var isBetter = false
    }

    /// A figure that is compared with the baseline.
    package enum Measure: String, Sendable, Hashable {
        case measured = "measured at all"
        case answers = "digest of the answers"
        case bytesOnDisk = "bytes on disk"
        case writtenBytes = "bytes written per operation"
        case writeCalls = "write calls per operation"
        case speed = "operations per second"

        /// The accepted growth of a count: a part of the baseline, and at least an amount, which matters for small
        /// figures. Nil for other measures.
        fileprivate var tolerance: (part: Double, amount: Double)? {
            switch self {
            case .bytesOnDisk: (0.05, 65_536)
            case .writtenBytes: (0.10, 16)
            case .writeCalls: (0.10, 0.05)
            case .measured, .answers, .speed: nil
            }
        }
    }

    /// Figures that are worse by more than the tolerance.
    package let regressions: [Change]
    /// Figures that are better by more than the tolerance.
    package let improvements: [Change]
    /// Speeds that differ by more than noise in either direction, for information only.
    package let speeds: [Change]
    /// The reasons why figures could not be compared, or only with care; one sentence each.
    package let notes: [String]

    /// The number of results in both; a command should refuse a baseline when it is 0.
    package let comparedCount: Int

    /// Whether a command should exit with the status for a regression.
    package var isRegressed: Bool { !regressions.isEmpty }

    /// Compares each result with that of the baseline.
    ///
    /// A result of the baseline that the settings request must not be missing. Digests are compared when the settings
    /// are the same; otherwise a note gives the reason.
    package init(of comparison: Comparison, since baseline: Comparison) {
        let pairs = Regression.pairs(comparison, baseline)
        let otherSettings = Regression.otherSettings(comparison, baseline)
        let changes = pairs.flatMap { old, new in
            new.map { Regression.changes(of: $0, since: old, isSameWork: otherSettings.isEmpty) }
                ?? [Change(old: old, measure: .measured, before: "measured", now: "not measured")]
        }
        regressions = changes.filter { !$0.isBetter && $0.measure != .speed }
        improvements = changes.filter { $0.isBetter && $0.measure != .speed }
        speeds = changes.filter { $0.measure == .speed }
        comparedCount = pairs.count
        notes = Regression.notes(comparison, baseline, compared: pairs.count, otherSettings)
    }
}

extension Regression {
    /// The measured results of the baseline that the comparison's settings request, each with the new one.
    private static func pairs(
        _ comparison: Comparison, _ baseline: Comparison
    ) -> [(old: WorkloadResult, new: WorkloadResult?)] {
        let names = Set(comparison.subjects.map(\.name))
        let workloads = Set(comparison.settings.workloads + comparison.results.map(\.workload))
        let rows = Set(comparison.settings.rows + comparison.results.map(\.rows))
        let asked = baseline.results.filter { result in
            names.contains(result.subject) && workloads.contains(result.workload)
                && rows.contains(result.rows) && !result.rounds.isEmpty
        }
        return asked.map { old in
            let new = comparison.results.first { new in
                new.workload == old.workload && new.rows == old.rows && new.subject == old.subject
            }
            return (old, new.flatMap { $0.rounds.isEmpty ? nil : $0 })
        }
    }

    private static func changes(
        of new: WorkloadResult, since old: WorkloadResult, isSameWork: Bool
    ) -> [Change] {
        let answers = isSameWork ? answerChange(of: new, since: old) : nil
        let counts = [
            change(old, .bytesOnDisk, old.bytesOnDisk.map(Double.init), new.bytesOnDisk.map(Double.init)),
            change(old, .writtenBytes, old.writtenBytesPerOperation, new.writtenBytesPerOperation),
            change(old, .writeCalls, old.writeCallsPerOperation, new.writeCallsPerOperation),
        ]
        return ([answers] + counts + [speedChange(of: new, since: old)]).compactMap { $0 }
    }

    private static func answerChange(of new: WorkloadResult, since old: WorkloadResult) -> Change? {
        guard let before = old.digest, new.digest != before else { return nil }
        return Change(old: old, measure: .answers, before: before, now: new.digest ?? "none")
    }

    /// A count that is known on both sides and differs by more than its tolerance.
    private static func change(
        _ old: WorkloadResult, _ measure: Measure, _ before: Double?, _ now: Double?
    ) -> Change? {
        guard let before, let now, let (part, amount) = measure.tolerance else { return nil }
        let least = min(before, now)
        guard max(before, now) > least + max(least * part, amount) else { return nil }
        let isBytes = measure == .bytesOnDisk || measure == .writtenBytes
        let text = isBytes ? Quantity.bytes : { Quantity.decimal($0) }
        return Change(
            old: old, measure: measure, before: text(before), now: text(now),
            factor: before > 0 ? now / before : nil, isBetter: now < before)
    }

    private static func speedChange(of new: WorkloadResult, since old: WorkloadResult) -> Change? {
        guard let before = Spread(old.rounds.map(\.operationsPerSecond)),
            let now = Spread(new.rounds.map(\.operationsPerSecond)), before.median > 0,
            NoiseRule(subjects: 2).verdict(before, now) == .different
        else { return nil }
        return Change(
            old: old, measure: .speed, before: Quantity.rate(before.median), now: Quantity.rate(now.median),
            factor: now.median / before.median, isBetter: now.median > before.median)
    }

    /// The settings that differ, so that the answers may differ as well.
    private static func otherSettings(_ comparison: Comparison, _ baseline: Comparison) -> [String] {
        let settings: [(name: String, text: (CompareSettings) -> String)] = [
            ("seed", { "\($0.seed)" }), ("rounds", { "\($0.rounds)" }), ("seconds", { "\($0.seconds)" }),
            ("workloads", { $0.workloads.joined(separator: ",") }), ("threads", { "\($0.threads)" }),
            ("durability", { $0.durability?.rawValue ?? "its own" }),
            ("recording", { $0.recording ?? "none" }),
        ]
        return settings.compactMap { name, text in
            let before = text(baseline.settings), now = text(comparison.settings)
            return before == now ? nil : "\(name) was \"\(before)\" and is \"\(now)\""
        }
    }

    private static func notes(
        _ comparison: Comparison, _ baseline: Comparison, compared: Int, _ otherSettings: [String]
    ) -> [String] {
        let notes = [
            (compared == 0, "no results in common: no subject, workload and number of rows is in both"),
            (
                !otherSettings.isEmpty,
                "the answers were not compared: \(otherSettings.joined(separator: ", "))"
            ),
            (
                comparison.machine != baseline.machine,
                "the machine is another one, so the speeds are not comparable"
            ),
            (!comparison.isComplete, "the comparison is incomplete"),
            (!baseline.isComplete, "the baseline is incomplete"),
        ]
        return notes.filter(\.0).map(\.1)
    }
}

extension Regression.Change: CustomStringConvertible {
    /// One line: `get-key, 100,000 rows, lmdb: write calls per operation 3 → 6 (2×, allowed 1.1×)`.
    ///
    /// It contains the subject's name unescaped.
    package var description: String {
        let place = "\(old.workload), \(Quantity.count(old.rows)) rows, \(old.subject)"
        let allowed = measure.tolerance.map { ", allowed \(Quantity.decimal(1 + $0.part))×" } ?? ""
        let growth = factor.map { " (\(Quantity.decimal($0))×\(isBetter ? "" : allowed))" } ?? ""
        return "\(place): \(measure.rawValue) \(before) → \(now)\(growth)"
    }
}

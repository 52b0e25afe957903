/// What has become worse since an earlier comparison, judged by counts and not by the clock.
///
/// Answers, bytes and calls are the same on every machine and in every run, within the tolerances below; how long
/// something took is not, so speeds are told as information and never make a regression.
package struct Regression: Sendable, Hashable {
    /// Something that is not as it was.
    package struct Change: Sendable, Hashable {
        package let workload: String
        package let rows: Int
        /// The subject's name.
        package let subject: String
        package let measure: Measure
        /// The figure before and now, as text with its unit.
        package let before: String
        package let now: String
        /// By how many times the figure has grown; nil where it is none, or was zero.
        package let factor: Double?
        /// Whether it has become better.
        package let isBetter: Bool
    }

    /// What is held against the baseline.
    package enum Measure: String, Sendable, Hashable, CaseIterable {
        case measured = "measured at all"
        case answers = "digest of the answers"
        case bytesOnDisk = "bytes on disk"
        case writtenBytes = "bytes written per operation"
        case writeCalls = "write calls per operation"
        case flushes = "flushes per operation"
        case speed = "operations per second"
    }

    /// How much a count may grow before it counts: the part of the baseline, and an amount for small figures.
    package struct Tolerance: Sendable, Hashable {
        package let part: Double
        package let amount: Double

        func allows(_ now: Double, after before: Double) -> Bool {
            now <= before + max(before * part, amount)
        }
    }

    /// What is worse than the tolerance allows; empty when nothing is.
    package let regressions: [Change]
    /// What is better by more than the tolerance.
    package let improvements: [Change]
    /// Speeds that differ by more than noise, better or worse: information only.
    package let speeds: [Change]
    /// Why figures could not be compared, or only with care; one sentence each.
    package let notes: [String]

    /// How many results are in both; when there are none, a command should refuse the baseline.
    package let comparedCount: Int

    /// Whether a command should end with the status for a regression.
    package var isRegressed: Bool { !regressions.isEmpty }

    /// The tolerance of a count; nil for what is judged otherwise.
    package static func tolerance(_ measure: Measure) -> Tolerance? {
        switch measure {
        case .bytesOnDisk: Tolerance(part: 0.05, amount: 65_536)
        case .writtenBytes: Tolerance(part: 0.10, amount: 16)
        case .writeCalls: Tolerance(part: 0.10, amount: 0.05)
        case .flushes: Tolerance(part: 0.05, amount: 0.01)
        case .measured, .answers, .speed: nil
        }
    }

    /// Holds a comparison against an earlier one, result by result.
    ///
    /// A result that the baseline has and the comparison was asked for must be there. Digests are held against each
    /// other when seed, durability, threads and recording are the same; otherwise a note says why not.
    package init(of comparison: Comparison, since baseline: Comparison) {
        let pairs = Regression.pairs(comparison, baseline)
        let isSameWork = Regression.workDiffers(comparison, baseline).isEmpty
        let changes = pairs.flatMap { old, new in
            new.map { Regression.changes(of: $0, since: old, isSameWork: isSameWork) }
                ?? [Change(old, .measured, before: "measured", now: "not measured", factor: nil)]
        }
        regressions = changes.filter { !$0.isBetter && $0.measure != .speed }
        improvements = changes.filter { $0.isBetter && $0.measure != .speed }
        speeds = changes.filter { $0.measure == .speed }
        comparedCount = pairs.count
        notes = Regression.notes(comparison, baseline, compared: pairs.count)
    }
}

extension Regression {
    /// The baseline's measured results that the comparison was asked for too, each with its own.
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
        let (before, now) = (Consumption(old), Consumption(new))
        let answers = isSameWork ? answerChange(of: new, since: old) : nil
        let counts = [
            change(old, .bytesOnDisk, before.bytesOnDisk.map(Double.init), now.bytesOnDisk.map(Double.init)),
            change(old, .writtenBytes, before.writtenBytesPerOperation, now.writtenBytesPerOperation),
            change(old, .writeCalls, before.writeCallsPerOperation, now.writeCallsPerOperation),
            change(old, .flushes, before.flushesPerOperation, now.flushesPerOperation),
        ]
        return ([answers] + counts + [speedChange(of: new, since: old)]).compactMap { $0 }
    }

    private static func answerChange(of new: WorkloadResult, since old: WorkloadResult) -> Change? {
        guard let before = old.digest, new.digest != before else { return nil }
        return Change(old, .answers, before: before, now: new.digest ?? "none", factor: nil)
    }

    /// A count that is known on both sides and has left its tolerance.
    private static func change(
        _ result: WorkloadResult, _ measure: Measure, _ before: Double?, _ now: Double?
    ) -> Change? {
        guard let before, let now, let tolerance = tolerance(measure) else { return nil }
        guard !tolerance.allows(now, after: before) || !tolerance.allows(before, after: now) else {
            return nil
        }
        let isBytes = measure == .bytesOnDisk || measure == .writtenBytes
        let text = isBytes ? Quantity.bytes : { Quantity.decimal($0) }
        return Change(
            result, measure, before: text(before), now: text(now), factor: before > 0 ? now / before : nil,
            isBetter: now < before)
    }

    private static func speedChange(of new: WorkloadResult, since old: WorkloadResult) -> Change? {
        guard let before = Spread(old.rounds.map(\.operationsPerSecond)),
            let now = Spread(new.rounds.map(\.operationsPerSecond)), before.median > 0,
            NoiseRule(subjects: 2).verdict(before, now) == .different
        else { return nil }
        return Change(
            old, .speed, before: Quantity.rate(before.median), now: Quantity.rate(now.median),
            factor: now.median / before.median, isBetter: now.median > before.median)
    }
}

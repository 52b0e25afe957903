/// One workload over one number of rows, with all subjects side by side.
package struct ResultGroup: Sendable, Hashable {
    package let workload: String
    /// One line that describes one operation.
    package let summary: String
    package let rows: Int
    /// One for each subject of the comparison, in its order.
    package let standings: [Standing]

    /// The fastest subject with the right answers; nil when the rounds do not decide.
    package var best: Standing? { standings.first { $0.mark == .best } }

    /// Whether the rounds show how the speed of each subject compares with that of the best.
    var isDecided: Bool { standings.allSatisfy { $0.mark != .undecided } }

    /// A subject in a cell of the overview: the speed of the best, and how the others compare with it.
    ///
    /// Without a best subject every cell is a speed.
    package func brief(_ standing: Standing) -> String {
        guard let rate = standing.rate else { return "–" }
        let isSpeed = standing.mark == .best || standing.mark == .undecided && best == nil
        return isSpeed ? Quantity.rate(rate.median) : standing.verdict
    }
}

extension Comparison {
    /// The results with each workload's subjects side by side, in the order of the results.
    package var groups: [ResultGroup] {
        let groups = results.reduce(into: [] as [[WorkloadResult]]) { groups, result in
            let place = groups.firstIndex {
                $0[0].workload == result.workload && $0[0].rows == result.rows
            }
            if let place { groups[place].append(result) } else { groups.append([result]) }
        }
        return groups.map(group)
    }

    /// The groups of the largest number of rows.
    package var largestGroups: [ResultGroup] {
        let groups = groups
        let rows = groups.map(\.rows).max()
        return groups.filter { $0.rows == rows }
    }

    /// The results of one workload, at least one, with its subjects side by side.
    func group(_ results: [WorkloadResult]) -> ResultGroup {
        let (workload, rows, liars) = (results[0].workload, results[0].rows, differingSubjects(results))
        let measured = results.filter { !$0.rounds.isEmpty }
        let candidates = measured.filter { !liars.contains($0.subject) }
        // The first one to which no other is faster.
        let best = candidates.reduce(nil as WorkloadResult?) { best, other in
            guard let best else { return other }
            return ratio(of: best, to: other, among: candidates).map { $0.times > 1 } == true ? other : best
        }
        let ratios = measured.reduce(into: [String: SpeedRatio]()) { ratios, result in
            ratios[result.subject] = best.flatMap { ratio(of: result, to: $0, among: candidates) }
        }
        let isOpen = candidates.allSatisfy {
            $0.subject == best?.subject || ratios[$0.subject]?.verdict == .undecided
        }
        func mark(_ subject: String) -> Standing.Mark {
            if liars.contains(subject) { return .differs }
            if isOpen { return .undecided }
            if subject == best?.subject { return .best }
            return switch ratios[subject]?.verdict {
            case .undecided, nil: .undecided
            case .equal: .nearBest
            case .different: .slower
            }
        }
        let standings = subjects.map(\.name).map { subject in
            let result = results.first { $0.subject == subject }
            let rate = Spread((result?.rounds ?? []).map(\.operationsPerSecond))
            return Standing(
                subject: subject, result: result, rate: rate, ratio: ratios[subject],
                mark: rate == nil
                    ? .unmeasured(result?.skipped ?? reason(subject, workload, rows)) : mark(subject))
        }
        return ResultGroup(
            workload: workload, summary: results[0].summary, rows: rows, standings: standings)
    }

    private func ratio(
        of slower: WorkloadResult, to faster: WorkloadResult, among candidates: [WorkloadResult]
    ) -> SpeedRatio? {
        SpeedRatio(
            of: slower.rounds, to: faster.rounds, subjects: candidates.count, looks: settings.lookCount,
            tolerance: slower.tolerance)
    }

    /// The subjects with a difference, and those whose digest is not that of the first.
    private func differingSubjects(_ results: [WorkloadResult]) -> Set<String> {
        let reported = differences.filter {
            $0.workload == results[0].workload && $0.rows == results[0].rows
        }
        let known = results.filter { $0.digest != nil }
        let others = known.filter { $0.digest != known[0].digest }
        return Set(reported.map(\.subject) + others.map(\.subject))
    }

    private func reason(_ subject: String, _ workload: String, _ rows: Int) -> String {
        let failure = failures.first { failure in
            failure.subject == subject && failure.rows == rows
                && (failure.workload == nil || failure.workload == workload)
        }
        return failure?.message ?? (isComplete ? "not measured" : "not measured before the end")
    }
}

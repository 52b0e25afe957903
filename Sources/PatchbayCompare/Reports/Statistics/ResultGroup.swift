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

    private func group(_ results: [WorkloadResult]) -> ResultGroup {
        let (workload, rows, liars) = (results[0].workload, results[0].rows, differingSubjects(results))
        let rates = results.reduce(into: [String: Spread]()) { rates, result in
            rates[result.subject] = Spread(
                result.rounds.filter { $0.operations > 0 }.map(\.operationsPerSecond))
        }
        let candidates = subjects.map(\.name).filter { !liars.contains($0) && rates[$0] != nil }
        let best = candidates.max { rates[$0]!.median < rates[$1]!.median }
        let bestRate = best.flatMap { rates[$0] }
        func mark(_ subject: String, _ rate: Spread) -> Standing.Mark {
            if liars.contains(subject) { return .differs }
            guard let bestRate, candidates.count > 1, bestRate.values.count >= NoiseRule.roundsMin else {
                return .undecided
            }
            if subject == best { return .best }
            switch NoiseRule(subjects: candidates.count).verdict(bestRate, rate) {
            case .undecided: return .undecided
            case .withinNoise: return .nearBest
            case .different: return .slower
            }
        }
        let standings = subjects.map(\.name).map { subject in
            let result = results.first { $0.subject == subject }, rate = rates[subject]
            let median = rate?.median ?? 0
            return Standing(
                subject: subject, result: result, rate: rate,
                timesSlower: median > 0 ? bestRate.map { $0.median / median } : nil,
                mark: rate.map { mark(subject, $0) }
                    ?? .unmeasured(result?.skipped ?? reason(subject, workload, rows)))
        }
        return ResultGroup(
            workload: workload, summary: results[0].summary, rows: rows, standings: standings)
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

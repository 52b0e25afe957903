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
        var order: [ResultKey] = []
        var found: [ResultKey: [WorkloadResult]] = [:]
        for result in results {
            let key = ResultKey(workload: result.workload, rows: result.rows)
            if found[key] == nil { order.append(key) }
            found[key, default: []].append(result)
        }
        return order.map { group($0, found[$0] ?? []) }
    }

    /// The groups of the largest number of rows.
    package var largestGroups: [ResultGroup] {
        let groups = groups
        let rows = groups.map(\.rows).max()
        return groups.filter { $0.rows == rows }
    }

    private func group(_ key: ResultKey, _ results: [WorkloadResult]) -> ResultGroup {
        let liars = differingSubjects(key, results)
        let rates = results.reduce(into: [String: Spread]()) { rates, result in
            rates[result.subject] = Spread(
                result.rounds.filter { $0.operations > 0 }.map(\.operationsPerSecond))
        }
        let candidates = subjects.filter { !liars.contains($0.name) && rates[$0.name] != nil }
        let best = candidates.max { rates[$0.name]!.median < rates[$1.name]!.median }?.name
        let ranking = Ranking(best: best, bestRate: best.flatMap { rates[$0] }, candidates: candidates.count)
        let standings = subjects.map(\.name).map { subject in
            let result = results.first { $0.subject == subject }
            guard let rate = rates[subject] else {
                let mark = Standing.Mark.unmeasured(reason(key, subject, result))
                return Standing(subject: subject, result: result, rate: nil, timesSlower: nil, mark: mark)
            }
            return Standing(
                subject: subject, result: result, rate: rate, timesSlower: ranking.timesSlower(rate),
                mark: liars.contains(subject) ? .differs : ranking.mark(subject, rate))
        }
        return ResultGroup(
            workload: key.workload, summary: results[0].summary, rows: key.rows, standings: standings)
    }

    /// The subjects with a difference, and those whose digest is not that of the first.
    private func differingSubjects(_ key: ResultKey, _ results: [WorkloadResult]) -> Set<String> {
        let reported = differences.filter { $0.workload == key.workload && $0.rows == key.rows }
        let known = results.filter { $0.digest != nil }
        let first = subjects.lazy.compactMap { subject in known.first { $0.subject == subject.name } }.first
        let others = known.filter { $0.digest != first?.digest }
        return Set(reported.map(\.subject) + others.map(\.subject))
    }

    private func reason(_ key: ResultKey, _ subject: String, _ result: WorkloadResult?) -> String {
        if let skipped = result?.skipped { return skipped }
        let failure = failures.first { failure in
            failure.subject == subject && failure.rows == key.rows
                && (failure.workload == nil || failure.workload == key.workload)
        }
        if let failure { return failure.message }
        return isComplete ? "not measured" : "not measured before the end"
    }
}

/// The key of results that can be compared with each other.
struct ResultKey: Hashable {
    let workload: String
    let rows: Int
}

/// Compares subjects with the best one.
private struct Ranking {
    let best: String?
    let bestRate: Spread?
    /// The number of subjects that were measured and gave the right answers.
    let candidates: Int

    func timesSlower(_ rate: Spread) -> Double? {
        guard let bestRate, rate.median > 0 else { return nil }
        return bestRate.median / rate.median
    }

    func mark(_ subject: String, _ rate: Spread) -> Standing.Mark {
        guard let bestRate, candidates > 1, bestRate.values.count >= NoiseRule.roundsMin else {
            return .undecided
        }
        if subject == best { return .best }
        switch NoiseRule(subjects: candidates).verdict(bestRate, rate) {
        case .undecided: return .undecided
        case .withinNoise: return .nearBest
        case .different: return .behind
        }
    }
}

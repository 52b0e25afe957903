/// How the cost of a workload grows with the number of rows, for one subject.
///
/// The rule: the cost is the time of one operation. It grows no faster than the logarithm when, from the fewest rows to
/// each other number, it is multiplied by no more than the logarithm of the number of rows is: from 1,000 to 1,000,000
/// rows that is twice. The claim is made only when it holds for the slowest of the larger rounds against the fastest of
/// the smaller ones, and its opposite only when it holds the other way round; between the two the noise decides, so
/// nothing is claimed. Fewer than three rounds claim nothing.
package struct Growth: Sendable, Hashable {
    /// The time of one operation in seconds over a number of rows.
    package struct Point: Sendable, Hashable {
        package let rows: Int
        package let cost: Spread
    }

    /// How the cost grows, from the best to the worst.
    package enum Verdict: Int, Sendable, Hashable, Comparable, CaseIterable {
        case withinLogarithm
        /// The noise is too wide, or there are too few rounds.
        case undecided
        /// Faster than the logarithm, but clearly slower than the rows.
        case beyondLogarithm
        /// In proportion to the rows, or faster: the cost is at least the rows to the power of 0.9.
        case linear

        package static func < (left: Verdict, right: Verdict) -> Bool { left.rawValue < right.rawValue }
    }

    package let workload: String
    /// The subject's name.
    package let subject: String
    /// By rising number of rows; at least two.
    package let points: [Point]

    /// By how much the cost is multiplied from the fewest rows to the most, by the medians.
    package var factor: Double { points[points.count - 1].cost.median / points[0].cost.median }

    /// By how much the logarithm of the number of rows is multiplied meanwhile.
    package var logarithmFactor: Double { logarithmFactor(to: points[points.count - 1]) }

    /// The power of the number of rows with which the cost grows, by the medians: 0 is flat, 1 in proportion.
    package var exponent: Double {
        Growth.logarithm(factor)
            / Growth.logarithm(Double(points[points.count - 1].rows) / Double(points[0].rows))
    }

    /// The worst of what is said from the fewest rows to each other number.
    package var verdict: Verdict { points.dropFirst().map { verdict(to: $0) }.max() ?? .undecided }

    /// What the cost would be if it grew as the logarithm does, from the fewest rows on.
    package func logarithmicCost(at rows: Int) -> Double {
        points[0].cost.median * Growth.logarithm(ofRows: rows) / Growth.logarithm(ofRows: points[0].rows)
    }

    private func verdict(to point: Point) -> Verdict {
        let first = points[0].cost
        let rounds = min(first.values.count, point.cost.values.count)
        guard rounds >= NoiseRule.roundsMin, first.lowest > 0 else { return .undecided }
        let limit = logarithmFactor(to: point)
        if point.cost.highest / first.lowest <= limit { return .withinLogarithm }
        guard point.cost.lowest / first.highest > limit else { return .undecided }
        let rows = Double(point.rows) / Double(points[0].rows)
        let isLinear = Growth.logarithm(point.cost.median / first.median) >= 0.9 * Growth.logarithm(rows)
        return isLinear ? .linear : .beyondLogarithm
    }

    private func logarithmFactor(to point: Point) -> Double {
        Growth.logarithm(ofRows: point.rows) / Growth.logarithm(ofRows: points[0].rows)
    }

    /// Of one row it is that of two, because there is no growth from nothing.
    static func logarithm(ofRows rows: Int) -> Double { logarithm(Double(max(2, rows))) }
}

extension Comparison {
    /// The growth of every workload that was measured over at least two numbers of rows, by workload, then subject.
    ///
    /// Subjects whose answers differ somewhere in the workload are left out.
    package var growths: [Growth] {
        let groups = groups
        var workloads: [String] = []
        for group in groups where !workloads.contains(group.workload) { workloads.append(group.workload) }
        return workloads.flatMap { workload in
            let own = groups.filter { $0.workload == workload }.sorted { $0.rows < $1.rows }
            return subjects.indices.compactMap { growth(of: $0, in: own) }
        }
    }

    private func growth(of subject: Int, in groups: [ResultGroup]) -> Growth? {
        let standings = groups.map { ($0.rows, $0.standings[subject]) }
        guard !standings.contains(where: { $0.1.mark == .differs }) else { return nil }
        let points = standings.compactMap { rows, standing in
            standing.cost.map { Growth.Point(rows: rows, cost: $0) }
        }
        guard points.count > 1, points[0].cost.median > 0 else { return nil }
        return Growth(workload: groups[0].workload, subject: subjects[subject].name, points: points)
    }
}

extension Growth.Verdict {
    /// The verdict behind "the cost grows".
    package var words: String {
        switch self {
        case .withinLogarithm: "no faster than log"
        case .undecided: "undecided (noise)"
        case .beyondLogarithm: "faster than log"
        case .linear: "as the rows do"
        }
    }
}

extension Growth {
    /// What a verdict leaves open, for whoever reads one.
    package static let caveat =
        "“Log” counts the steps of a search, each at the same cost. Rows that outgrow the processor's caches make "
        + "steps dearer, in the bare engines too."
}

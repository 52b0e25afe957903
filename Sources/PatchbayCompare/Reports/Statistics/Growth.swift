private import CPlatform
private import PatchbayCore

/// The growth of the cost of a workload with the number of rows, for one subject.
///
/// The cost is the time of one operation. It grows no faster than the logarithm if, from the fewest rows to each other
/// number, it grows by at most the same factor as the logarithm of the number of rows, which doubles from 1,000 to
/// 1,000,000. The verdict requires this of the slowest round with more rows divided by the fastest round with the
/// fewest, and the opposite verdict requires that the fastest divided by the slowest exceed the limit. Between the two,
/// and with fewer than three rounds, the growth is undecided.
package struct Growth: Sendable, Hashable {
    /// The time of one operation in seconds with a number of rows.
    package struct Point: Sendable, Hashable {
        package let rows: Int
        package let cost: Spread
    }

    /// The kind of growth, from the best to the worst.
    package enum Verdict: Sendable, Hashable, Comparable {
        case withinLogarithm
        /// The noise is too wide, or there are too few rounds.
        case undecided
        /// Faster than the logarithm, but clearly slower than the rows.
        case beyondLogarithm
        /// In proportion to the rows, or faster: the exponent is at least 0.9.
        case linear

        /// The verdict as the end of a sentence that begins with "the cost grows".
        package var words: String {
            switch self {
            case .withinLogarithm: "no faster than log"
            case .undecided: "undecided (noise)"
            case .beyondLogarithm: "faster than log"
            case .linear: "as the rows do"
            }
        }
    }

    package let workload: String
    /// The subject's name.
    package let subject: String
    /// By ascending number of rows; at least two.
    package let points: [Point]

    /// The limits of the verdicts, for readers of a report.
    package static let caveat =
        "“Log” assumes that each step of a search costs the same. Steps cost more, also in the bare engines, once the "
        + "rows outgrow the processor's caches."

    /// The cost with the fewest rows.
    package var fewest: Point { points[0] }
    /// The cost with the most rows.
    package var most: Point { points[points.count - 1] }

    /// The median cost with the most rows divided by that with the fewest.
    package var factor: Double { most.cost.median / fewest.cost.median }

    /// The logarithm of the most rows divided by that of the fewest.
    package var logarithmFactor: Double { logarithmFactor(to: most.rows) }

    /// The power of the number of rows with which the median cost grows: 0 is flat, 1 is in proportion.
    package var exponent: Double { log(factor) / log(Double(most.rows) / Double(fewest.rows)) }

    /// The worst verdict from the fewest rows to each other number.
    package var verdict: Verdict { points.dropFirst().map { verdict(to: $0) }.max() ?? .undecided }

    /// The cost if it grew as the logarithm does from the fewest rows.
    package func logarithmicCost(at rows: Int) -> Double {
        fewest.cost.median * Growth.logarithm(ofRows: rows) / Growth.logarithm(ofRows: fewest.rows)
    }

    private func verdict(to point: Point) -> Verdict {
        let first = fewest.cost
        let rounds = min(first.values.count, point.cost.values.count)
        guard rounds >= NoiseRule.roundsMin, first.lowest > 0 else { return .undecided }
        let limit = logarithmFactor(to: point.rows)
        if point.cost.highest / first.lowest <= limit { return .withinLogarithm }
        guard point.cost.lowest / first.highest > limit else { return .undecided }
        let rows = Double(point.rows) / Double(fewest.rows)
        let isLinear = log(point.cost.median / first.median) >= 0.9 * log(rows)
        return isLinear ? .linear : .beyondLogarithm
    }

    private func logarithmFactor(to rows: Int) -> Double {
        Growth.logarithm(ofRows: rows) / Growth.logarithm(ofRows: fewest.rows)
    }

    /// The logarithm of at least two rows, because that of one is zero.
    private static func logarithm(ofRows rows: Int) -> Double { log(Double(max(2, rows))) }
}

extension Comparison {
    /// The growth of every workload measured with at least two numbers of rows, by workload, then subject.
    ///
    /// Excludes subjects whose answers differ somewhere in the workload.
    package var growths: [Growth] {
        let groups = groups
        return groups.map(\.workload).distinct.flatMap { workload in
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

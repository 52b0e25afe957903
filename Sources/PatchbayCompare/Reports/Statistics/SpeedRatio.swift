private import CPlatform

/// How many times slower one storage is than another in a workload, with the interval that contains the true figure.
///
/// Two rounds of the same number are a pair: they ran in turns, so that a busy moment of the machine slows both. The
/// logarithms of their ratios have a mean, without the fifth of the pairs at either end, because single rounds are
/// disturbed; the interval around it is that of Yuen (1974), by ``StudentT``.
///
/// The intervals of one workload miss the true figures in at most 5 of 100 comparisons. These 5 % are divided among all
/// pairs of its storages, and among the looks at the rounds that can end a workload early.
package struct SpeedRatio: Sendable, Hashable {
    package enum Verdict: Sendable, Hashable {
        /// More rounds may show either of the others.
        case undecided
        /// The whole interval lies within 5 %.
        case equal
        /// The whole interval lies beyond the tolerance of the workload.
        case different
    }

    /// The geometric mean of the ratios, without those at the ends.
    package let times: Double
    /// The ends of the interval: 0 and infinity for a single pair.
    package let low: Double
    package let high: Double
    /// ``WorkloadResult/tolerance``.
    private let tolerance: Double
    private let pairs: Int

    /// Storages whose speeds differ by less than this are equally fast.
    package static let equalMax = 1.05
    /// The fewest pairs that show a difference where a storage may be disturbed for several rounds.
    static let tolerantPairsMin = CompareSettings.looks[1]
    /// The highest accepted share of workloads with a wrong interval.
    static let missesMax = 0.05

    /// Compares the rounds of two storages; nil without a pair.
    ///
    /// - Parameters:
    ///   - subjects: the number of storages that the workload compares.
    ///   - looks: how often the rounds may be looked at before the comparison of the workload ends.
    ///   - tolerance: the factor up to which storages of the same kind may differ.
    init?(
        of slower: [Round], to faster: [Round], subjects: Int, looks: Int, tolerance: Double = equalMax
    ) {
        self.tolerance = tolerance
        let logarithms = zip(slower, faster).compactMap { slower, faster -> Double? in
            let ratio = faster.operationsPerSecond / slower.operationsPerSecond
            return ratio > 0 && ratio.isFinite ? log(ratio) : nil
        }
        guard !logarithms.isEmpty else { return nil }
        pairs = logarithms.count
        let cut = logarithms.count / 5, sorted = logarithms.sorted(),
            kept = sorted.dropFirst(cut).dropLast(cut)
        let mean = kept.reduce(0, +) / Double(kept.count)
        times = exp(mean)
        guard kept.count > 1 else {
            (low, high) = (0, .infinity)
            return
        }
        // Those at the ends count as the outermost that are kept.
        let outermost = Array(repeating: kept.first!, count: cut) + Array(repeating: kept.last!, count: cut)
        let all = kept + outermost, center = all.reduce(0, +) / Double(all.count)
        let squares = all.reduce(0) { $0 + ($1 - center) * ($1 - center) }
        let pairs = max(1, subjects * (subjects - 1) / 2)
        let bound = StudentT.bound(SpeedRatio.missesMax / Double(pairs * looks), degrees: kept.count - 1)
        let error = bound * (squares / Double(kept.count * (kept.count - 1))).squareRoot()
        (low, high) = (exp(mean - error), exp(mean + error))
    }

    package var verdict: Verdict {
        if low > 1 / SpeedRatio.equalMax, high < SpeedRatio.equalMax { return .equal }
        let isBeyond = low > tolerance || high < 1 / tolerance
        let isEnough = tolerance <= SpeedRatio.equalMax || pairs >= SpeedRatio.tolerantPairsMin
        return isBeyond && isEnough ? .different : .undecided
    }

    /// The interval as text: `5.52–6.1×`; nil for a storage and itself, and for so few pairs that it says nothing.
    package var interval: String? {
        high < 1_000_000 && low < high ? "\(Quantity.decimal(low))–\(Quantity.decimal(high))×" : nil
    }
}

extension CompareSettings {
    /// The numbers of rounds after which a workload ends if all its storages are decided. They are few, because every
    /// look is a chance to be deceived.
    static let looks = [4, 7, 11, 16, 24]

    /// How often the rounds of a workload may be looked at.
    var lookCount: Int { rounds == nil ? Self.looks.count : 1 }
    /// The most rounds of a workload.
    var roundsMax: Int { rounds ?? Self.looks.last! }
}

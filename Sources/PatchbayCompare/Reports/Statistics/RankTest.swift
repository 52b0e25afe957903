/// The rank test of Mann and Whitney (1947): how easily chance alone would order two samples as they lie.
///
/// It asks nothing of the shape of the noise, only that the measurements of both come from the same place when
/// there is no difference. The probabilities are exact, not approximated, for any number of measurements.
enum RankTest {
    /// The probability that chance sets two samples at least as far apart as these, to either side.
    ///
    /// Equal values count half for each side, and the result is then rounded up, never down.
    /// Takes time in proportion to the cube of the number of measurements or less.
    static func probability(_ first: [Double], _ second: [Double]) -> Double {
        precondition(!first.isEmpty && !second.isEmpty, "a rank test needs two samples")
        let wins = first.reduce(0.0) { sum, left in
            second.reduce(sum) { $0 + ($1 < left ? 1 : $1 == left ? 0.5 : 0) }
        }
        let pairs = first.count * second.count
        let fewer = Int(min(wins, Double(pairs) - wins).rounded(.up))
        return min(1, 2 * probabilityOfAtMost(fewer, first.count, second.count))
    }

    /// The smallest probability that samples of these sizes can show: all of the one above all of the other.
    static func probabilityMin(_ first: Int, _ second: Int) -> Double {
        2 * probabilityOfAtMost(0, first, second)
    }

    /// The chance that at most `wins` of the pairs fall to the first side.
    ///
    /// The largest of all measurements belongs to the first sample with the chance `first / (first + second)`, and
    /// then wins against the whole second one. What remains is the same question with one measurement less.
    private static func probabilityOfAtMost(_ wins: Int, _ first: Int, _ second: Int) -> Double {
        let certain = [1.0] + [Double](repeating: 0, count: wins)
        var row = [[Double]](repeating: certain, count: second + 1)
        for left in 1...first {
            var next = [certain]
            for right in 1...second {
                let chance = Double(left) / Double(left + right)
                next.append(
                    (0...wins).map { count in
                        let withLargest = count >= right ? row[right][count - right] : 0
                        return chance * withLargest + (1 - chance) * next[right - 1][count]
                    })
            }
            row = next
        }
        return min(1, row[second].reduce(0, +))
    }
}

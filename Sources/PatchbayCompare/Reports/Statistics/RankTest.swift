/// The rank test of Mann and Whitney (1947): the probability that chance alone orders two samples as they are.
///
/// It assumes nothing about the shape of the noise, only that equal storages have the same distribution. The
/// probabilities are exact for any number of measurements.
enum RankTest {
    /// The probability that chance separates two samples at least as far as these, in either direction.
    ///
    /// Equal values count half for each side, and the count is rounded up. Takes time at most in proportion to the cube
    /// of the number of measurements.
    static func probability(_ first: [Double], _ second: [Double]) -> Double {
        precondition(!first.isEmpty && !second.isEmpty, "a rank test needs two samples")
        let wins = first.reduce(0.0) { sum, left in
            second.reduce(sum) { $0 + ($1 < left ? 1 : $1 == left ? 0.5 : 0) }
        }
        let pairs = first.count * second.count
        let fewer = Int(min(wins, Double(pairs) - wins).rounded(.up))
        return min(1, 2 * probabilityOfAtMost(fewer, first.count, second.count))
    }

    /// The smallest probability for samples of these sizes: that of one sample entirely above the other.
    static func probabilityMin(_ first: Int, _ second: Int) -> Double {
        2 * probabilityOfAtMost(0, first, second)
    }

    /// The probability that the first sample wins at most `wins` of all pairs.
    ///
    /// The largest measurement belongs to the first sample with the probability `first / (first + second)`, and then
    /// wins against all of the second. The rest is the same problem with one measurement less.
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

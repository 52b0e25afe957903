private import CPlatform

/// Several measurements of the same figure, with their median and range.
package struct Spread: Sendable, Hashable {
    /// The measurements in ascending order; there is at least one.
    package let values: [Double]

    /// - Parameter values: in any order. The result is nil when there are none, or when one is not finite.
    package init?(_ values: [Double]) {
        guard !values.isEmpty, values.allSatisfy(\.isFinite) else { return nil }
        self.values = values.sorted()
    }

    /// The middle value; with an even count, the mean of the two middle values.
    package var median: Double {
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }

    package var lowest: Double { values[0] }
    package var highest: Double { values[values.count - 1] }
}

/// The distribution of a mean divided by its estimated error (Student 1908).
enum StudentT {
    /// The value that is exceeded, above zero or below its negative, with a probability.
    ///
    /// - Parameters:
    ///   - probability: greater than 0.
    ///   - degrees: the degrees of freedom: the number of measurements minus 1, which is at least 1.
    static func bound(_ probability: Double, degrees: Int) -> Double {
        var low = 0.0, high = 1.0
        while self.probability(beyond: high, degrees) > probability { (low, high) = (high, high * 2) }
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if self.probability(beyond: middle, degrees) > probability { low = middle } else { high = middle }
        }
        return high
    }

    /// The exact finite series of Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
    private static func probability(beyond value: Double, _ degrees: Int) -> Double {
        let freedom = Double(degrees), cosine2 = freedom / (freedom + value * value)
        let sine = (1 - cosine2).squareRoot(), isOdd = degrees % 2 == 1
        var term = isOdd ? cosine2.squareRoot() : 1
        var sum = degrees == 1 ? 0 : term
        for place in stride(from: isOdd ? 3 : 2, through: degrees - 2, by: 2) {
            term *= cosine2 * Double(place - 1) / Double(place)
            sum += term
        }
        return 1 - (isOdd ? (atan(value / freedom.squareRoot()) + sine * sum) * 2 / .pi : sine * sum)
    }
}

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

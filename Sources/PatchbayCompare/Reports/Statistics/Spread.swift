/// What several measurements of one thing say together: their middle, and how far they lie apart.
package struct Spread: Sendable, Hashable {
    /// The measurements in ascending order; there is at least one.
    package let values: [Double]

    /// - Parameter values: in any order; nil when there are none, or one of them is not a finite number.
    package init?(_ values: [Double]) {
        guard !values.isEmpty, values.allSatisfy(\.isFinite) else { return nil }
        self.values = values.sorted()
    }

    /// The middle value; with an even count, the mean of the two in the middle.
    package var median: Double {
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }

    package var lowest: Double { values[0] }
    package var highest: Double { values[values.count - 1] }

    /// From the lowest to the highest.
    package var width: Double { highest - lowest }

    /// Half of the width as a part of the median, as in `±3 %`: 0.03. Zero when the median is.
    package var relativeHalfWidth: Double { median == 0 ? 0 : width / 2 / abs(median) }
}

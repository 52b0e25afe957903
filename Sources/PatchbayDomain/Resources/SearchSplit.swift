package import PatchbayCore

/// A range along which a search is split when it has more results than a source gives for one query:
/// `NAME.search-split = created:{from}..{to} 2007-10-20`.
package struct SearchSplit: Hashable, Sendable {
    /// The unit of the range.
    package enum Unit: Sendable {
        case integer
        /// Days since 1970, spelled `2007-10-20`.
        case day
        /// Seconds since 1970, spelled `2007-10-20T00:00:00Z`.
        case second
    }

    /// The text that is appended to the search; `{from}` and `{to}` are the ends of a part, both inclusive.
    package var words: String
    /// The unit in which ``from`` and ``to`` count.
    package var unit: Unit
    /// The start of the whole range, inclusive.
    package var from: Int64
    /// The end of the whole range; nil for the present day or second.
    package var to: Int64?

    /// Creates a range along which a search is split; without `to`, it ends at the present day or second.
    package init(_ words: String, _ unit: Unit, from: Int64, to: Int64? = nil) {
        self.words = words
        self.unit = unit
        self.from = from
        self.to = to
    }

    /// The whole range at the given time.
    package func range(at now: Timestamp) -> ClosedRange<Int64> {
        from...max(from, to ?? now.milliseconds / (unit == .day ? 86_400_000 : 1_000))
    }

    /// The text for a part of the range.
    package func words(for part: ClosedRange<Int64>) -> String {
        words.replacing("{from}", with: spelled(part.lowerBound))
            .replacing("{to}", with: spelled(part.upperBound))
    }

    private func spelled(_ value: Int64) -> String {
        switch unit {
        case .integer: String(value)
        case .day: String(Timestamp(milliseconds: value * 86_400_000).description.prefix(10))
        case .second: Timestamp(milliseconds: value * 1_000).description
        }
    }

    /// Reads an end of the range: an integer, a day or a second.
    static func end(_ text: String) -> (value: Int64, unit: Unit)? {
        if let number = Int64(text) { return (number, .integer) }
        if let day = Timestamp(text + "T00:00:00Z") { return (day.milliseconds / 86_400_000, .day) }
        return Timestamp(text).map { ($0.milliseconds / 1_000, .second) }
    }
}

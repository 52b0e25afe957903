import PatchbayCore

/// A number of requests or bytes that a client may use in each hour or day of UTC.
package struct Allowance: Sendable, Hashable {
    /// The stretch of time after which all of it is there again.
    package enum Period: String, Sendable, CaseIterable {
        case hour, day

        /// In milliseconds.
        var length: Int64 { self == .hour ? 3_600_000 : 86_400_000 }

        /// The beginning of the period that contains a time.
        func start(of time: Timestamp) -> Timestamp {
            Timestamp(milliseconds: time.milliseconds / length * length)
        }
    }

    /// The number.
    package let amount: Int64
    package let period: Period
    /// As it was written.
    private let text: String

    /// Reads `500/hour`; nil for anything else.
    package init?(requests text: String) { self.init(text, units: [("", 1)]) }

    /// Reads `5MB/hour` or `200 KB/day`; nil for anything else.
    package init?(bytes text: String) {
        self.init(text, units: [("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1), ("", 1)])
    }

    private init?(_ text: String, units: [(suffix: String, factor: Int64)]) {
        let text = text.filter { !$0.isWhitespace }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let period = Period(rawValue: String(parts[1])),
            let unit = units.first(where: { parts[0].hasSuffix($0.suffix) }),
            let number = Int64(parts[0].dropLast(unit.suffix.count)), (1...1_000_000_000).contains(number),
            parts[0].first != "+"
        else { return nil }
        amount = number * unit.factor
        self.period = period
        self.text = text
    }

    /// The time of the next period.
    func end(at now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: period.start(of: now).milliseconds + period.length)
    }
}

extension Allowance: CustomStringConvertible {
    /// As it was written, without spaces.
    package var description: String { text }
}

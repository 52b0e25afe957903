import Synchronization

/// One metric: its help text, and a value for each set of labels.
struct MetricFamily: Sendable {
    enum Kind: String { case counter, gauge, histogram }

    /// The maximum number of series; further sets of labels are not counted.
    static let seriesMax = 1_000

    let kind: Kind
    let help: String
    /// The upper bounds of a histogram's buckets.
    var bounds: [Double] = []
    private var known: [Labels: Series] = [:]

    init(_ kind: Kind, _ help: String, bounds: [Double] = []) {
        self.kind = kind
        self.help = help
        self.bounds = bounds
    }

    /// Labels in canonical form, `a="1",b="2"`; empty without labels.
    struct Labels: Hashable, Sendable, Comparable {
        static let none = Labels([])

        let text: String

        init(_ labels: [(String, String)]) {
            text = labels.map { "\($0)=\"\(Labels.escaped($1))\"" }.joined(separator: ",")
        }

        static func < (left: Labels, right: Labels) -> Bool { left.text < right.text }

        private static func escaped(_ value: String) -> String {
            var escaped = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": escaped += #"\\"#
                case "\"": escaped += #"\""#
                case "\n": escaped += #"\n"#
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return escaped
        }
    }

    /// The values of a set of labels.
    final class Series: Sendable {
        struct Values: Sendable {
            var value = 0.0
            var count: UInt64 = 0
            /// The number of values in each bucket, excluding lower buckets.
            var buckets: [UInt64]
        }

        private let bounds: [Double]
        private let state: Mutex<Values>

        init(bounds: [Double]) {
            self.bounds = bounds
            state = Mutex(Values(buckets: Array(repeating: 0, count: bounds.count)))
        }

        var values: Values { state.withLock { $0 } }

        func add(_ amount: Double) { state.withLock { $0.value += amount } }

        func set(_ value: Double) { state.withLock { $0.value = value } }

        func observe(_ value: Double) {
            guard value.isFinite else { return }
            let place = bounds.firstIndex { value <= $0 }
            state.withLock { values in
                if let place { values.buckets[place] += 1 }
                values.value += value
                values.count += 1
            }
        }
    }

    /// Returns the series of a set of labels, which may be kept; nil when there are too many.
    mutating func series(_ labels: Labels) -> Series? {
        if let series = known[labels] { return series }
        guard known.count < Self.seriesMax else { return nil }
        let series = Series(bounds: bounds)
        known[labels] = series
        return series
    }

    /// Returns the family in the text format of Prometheus.
    func text(named name: String) -> String {
        var lines = ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
        for (labels, series) in known.sorted(by: { $0.key < $1.key }).map({ ($0.key, $0.value.values) }) {
            guard kind == .histogram else {
                lines.append(line(name, labels.text, series.value))
                continue
            }
            var total: UInt64 = 0
            let prefix = labels.text.isEmpty ? "" : labels.text + ","
            for (bound, count) in zip(bounds, series.buckets) {
                total += count
                lines.append(line("\(name)_bucket", "\(prefix)le=\"\(Self.number(bound))\"", Double(total)))
            }
            lines.append(line("\(name)_bucket", "\(prefix)le=\"+Inf\"", Double(series.count)))
            lines.append(line("\(name)_sum", labels.text, series.value))
            lines.append(line("\(name)_count", labels.text, Double(series.count)))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ name: String, _ labels: String, _ value: Double) -> String {
        name + (labels.isEmpty ? "" : "{\(labels)}") + " " + Self.number(value)
    }

    /// Formats whole numbers without a decimal point.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? String(value)
    }
}

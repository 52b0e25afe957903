private import CPlatform

/// Figures as text with three significant digits and a unit, the same in every report.
package enum Quantity {
    /// A whole number with a comma between thousands: `100,000`.
    package static func count(_ number: Int) -> String {
        var text = String(number.magnitude)
        for place in stride(from: text.count - 3, to: 0, by: -3) {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
        }
        return number < 0 ? "-" + text : text
    }

    /// A number of rows, short enough for an axis: `500`, `10 k`, `1 M`.
    package static func shortCount(_ number: Int) -> String {
        scaled(Double(number), thousands, unit: "", trimmed: true)
    }

    /// A number of operations per second: `0.21 /s`, `210 /s`, `1.21 M/s`.
    package static func rate(_ perSecond: Double) -> String { scaled(perSecond, thousands, unit: "/s") }

    /// A duration in seconds: `712 ns`, `4.40 µs`, `1.20 ms`, `31.4 s`.
    package static func time(seconds: Double) -> String {
        scaled(seconds * 1e9, times, unit: "s")
    }

    /// A duration in nanoseconds.
    package static func time(nanoseconds: Int) -> String { time(seconds: Double(nanoseconds) / 1e9) }

    /// A number of bytes in powers of ten: `512 B`, `1.20 MB`. A mean between 0 and 1 is `< 1 B`.
    package static func bytes(_ number: Double) -> String {
        number > 0 && number < 0.9995 ? "< 1 B" : scaled(number, bytePrefixes, unit: "B")
    }

    /// A ratio: `5.8×`, `2,274×`.
    package static func factor(_ number: Double) -> String {
        (number >= 1_000 && number < 1e15 ? count(Int(number.rounded())) : decimal(number, digits: 2)) + "×"
    }

    /// A number with at most the given number of significant digits and no exponent; when trimmed, without trailing
    /// zeros.
    ///
    /// Whole digits are never rounded away: 12345 stays `12345`. Numbers that are not finite are `–`.
    package static func decimal(_ number: Double, digits: Int = 3, trimmed: Bool = true) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "–" }
        // A number that is rounded up to a power of ten has its digits. Zeros at the start of a small one are not
        // significant.
        let magnitude = abs(number) / (1 - 0.5 * pow(10, -Double(digits)))
        let exponent = magnitude > 0 ? Int(log10(magnitude).rounded(.down)) : 0
        let places = min(max(digits - 1 - exponent, 0), 9)
        let power = (0..<places).reduce(1) { power, _ in power * 10 }
        let units = Int((abs(number) * Double(power)).rounded())
        let sign = number < 0 && units > 0 ? "-" : ""
        var fraction = String(units % power)
        fraction = String(repeating: "0", count: max(0, places - fraction.utf8.count)) + fraction
        while trimmed, fraction.last == "0" { fraction.removeLast() }
        return sign + String(units / power) + (places == 0 || fraction.isEmpty ? "" : "." + fraction)
    }

    /// The number in the largest unit that makes it at least 1 after rounding.
    ///
    /// It keeps three digits even when the last are zeros, so that a column of them is even, except for whole numbers
    /// of the smallest unit.
    private static func scaled(
        _ number: Double, _ prefixes: [(Double, String)], unit: String, trimmed: Bool = false
    ) -> String {
        let prefix = prefixes.last { abs(number) >= $0.0 * 0.9995 } ?? prefixes[0]
        let label = prefix.1 + unit
        let isWhole = number.rounded() == number && prefix.0 == 1
        return decimal(number / prefix.0, trimmed: trimmed || isWhole)
            + (label.isEmpty ? "" : " " + label)
    }

    private static let times: [(Double, String)] = [(1, "n"), (1e3, "µ"), (1e6, "m"), (1e9, "")]
    private static let thousands: [(Double, String)] = [(1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")]
    private static let bytePrefixes = thousands + [(1e12, "T")]
}

/// Figures as people read them: three significant digits and a unit, the same in every report.
package enum Quantity {
    /// A whole number with a comma between thousands: `100,000`.
    package static func count(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// A number of rows, short enough for an axis: `500`, `10 k`, `1 M`.
    package static func shortCount(_ number: Int) -> String {
        scaled(Double(number), thousands, unit: "", trimmed: true)
    }

    /// How often something is done in a second: `0.21 /s`, `210 /s`, `1.21 M/s`.
    package static func rate(_ perSecond: Double) -> String { scaled(perSecond, thousands, unit: "/s") }

    /// A length of time given in seconds: `712 ns`, `4.4 µs`, `1.2 ms`, `31 s`.
    package static func time(seconds: Double) -> String {
        scaled(seconds * 1e9, times, unit: "s")
    }

    /// A length of time for the label of an axis: `1 ms` where a figure would be `1.00 ms`.
    static func shortTime(seconds: Double) -> String {
        scaled(seconds * 1e9, times, unit: "s", trimmed: true)
    }

    /// A length of time given in nanoseconds.
    package static func time(nanoseconds: Int) -> String { time(seconds: Double(nanoseconds) / 1e9) }

    /// A number of bytes in powers of ten: `512 B`, `1.2 MB`.
    package static func bytes(_ number: Double) -> String { scaled(number, bytePrefixes, unit: "B") }

    /// How many times as much: `5.8×`, `2,274×`.
    package static func factor(_ number: Double) -> String {
        (number >= 1_000 && number < 1e15 ? count(Int(number.rounded())) : decimal(number, digits: 2)) + "×"
    }

    /// A part as a percentage, with one decimal below ten: `0.4 %`, `12 %`.
    package static func percentage(_ part: Double) -> String {
        guard part.isFinite, abs(part) < 1e12 else { return "–" }
        return fixed(part * 100, places: abs(part) < 0.0995 ? 1 : 0, trimmed: true) + " %"
    }

    /// A number with at most so many significant digits and no exponent; trailing zeros of a fraction are left out.
    ///
    /// Whole digits are never rounded away: 12345 stays `12345`. What is not finite is `–`.
    package static func decimal(_ number: Double, digits: Int = 3) -> String {
        decimal(number, digits: digits, trimmed: true)
    }

    private static func decimal(_ number: Double, digits: Int, trimmed: Bool) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "–" }
        let magnitude = abs(number)
        var places = digits - 1
        // What is rounded up to ten has two digits.
        let rounding = 1 - (0..<digits).reduce(0.5) { half, _ in half / 10 }
        var bound = 10 * rounding
        while places > 0, magnitude >= bound {
            places -= 1
            bound *= 10
        }
        // Small numbers begin with zeros, which are not significant.
        var small = magnitude
        while small > 0, small < rounding, places < 9 {
            places += 1
            small *= 10
        }
        return fixed(number, places: places, trimmed: trimmed)
    }

    /// A number with a fixed number of decimal places; trimmed, without the zeros at its end.
    private static func fixed(_ number: Double, places: Int, trimmed: Bool) -> String {
        let power = (0..<places).reduce(1) { power, _ in power * 10 }
        let units = Int((abs(number) * Double(power)).rounded())
        let sign = number < 0 && units > 0 ? "-" : ""
        var fraction = String(units % power)
        fraction = String(repeating: "0", count: max(0, places - fraction.utf8.count)) + fraction
        while trimmed, fraction.last == "0" { fraction.removeLast() }
        return sign + String(units / power) + (places == 0 || fraction.isEmpty ? "" : "." + fraction)
    }

    /// The number in the largest unit of which there is one whole; rounding may not carry it past the next.
    ///
    /// Three digits stand there even when the last are zeros, so that a column of them is even; not so where there is
    /// nothing smaller to count.
    private static func scaled(
        _ number: Double, _ prefixes: [(Double, String)], unit: String, trimmed: Bool = false
    ) -> String {
        let prefix = prefixes.last { abs(number) >= $0.0 * 0.9995 } ?? prefixes[0]
        let label = prefix.1 + unit
        let isWhole = number.rounded() == number && prefix.0 == 1
        return decimal(number / prefix.0, digits: 3, trimmed: trimmed || isWhole)
            + (label.isEmpty ? "" : " " + label)
    }

    private static let times: [(Double, String)] = [(1, "n"), (1e3, "µ"), (1e6, "m"), (1e9, "")]
    private static let thousands: [(Double, String)] = [(1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")]
    private static let bytePrefixes: [(Double, String)] = [
        (1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"),
    ]
}

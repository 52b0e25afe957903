import Glibc

/// A histogram of nanoseconds in steps of 1/64 of the value, so that its size does not depend on the number of values.
struct Histogram: Sendable {
    private static let steps = 64
    private var counts = [UInt32](repeating: 0, count: 60 * Histogram.steps)
    private(set) var count: UInt64 = 0
    private(set) var sum: UInt64 = 0
    private(set) var max: UInt64 = 0

    mutating func add(_ nanoseconds: UInt64) {
        count += 1
        sum += nanoseconds
        if nanoseconds > max { max = nanoseconds }
        counts[Self.place(nanoseconds)] += 1
    }

    /// The middle of the step that contains the quantile, in microseconds.
    func microseconds(_ quantile: Double) -> Double {
        let wanted = Swift.max(1, UInt64((quantile * Double(count)).rounded(.up)))
        var seen: UInt64 = 0
        for (place, number) in counts.enumerated() {
            seen += UInt64(number)
            if seen >= wanted { return Self.middle(place) / 1_000 }
        }
        return Double(max) / 1_000
    }

    private static func place(_ value: UInt64) -> Int {
        if value < UInt64(steps) { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        return (exponent - 5) * steps + Int(value >> UInt64(exponent - 6)) & (steps - 1)
    }

    private static func middle(_ place: Int) -> Double {
        if place < steps { return Double(place) }
        let width = Double(UInt64(1) << UInt64(place / steps - 1))
        return (Double(steps + place % steps) + 0.5) * width
    }
}

/// The monotonic clock, in nanoseconds.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension RawSpan {
    /// The value of a number with at most 15 digits and a small exponent; nil for a longer one.
    ///
    /// These digits and the power of ten are both exact as `Double`, so one division or multiplication rounds once and
    /// gives the nearest value (Clinger 1990).
    func shortDecimal() -> Double? {
        var digits: Int64 = 0
        var digitCount = 0
        var exponent = 0
        var at = byte(at: 0) == ASCII.minus ? 1 : 0
        var isFraction = false
        while at < byteCount, byte(at: at) | 0x20 != 0x65 {
            if byte(at: at) == ASCII.point {
                isFraction = true
            } else {
                digits = digits &* 10 &+ Int64(byte(at: at) &- ASCII.zero)
                digitCount += 1
                exponent -= isFraction ? 1 : 0
            }
            at += 1
        }
        guard digitCount <= 15, let power = shortExponent(from: at + 1) else { return nil }
        guard let value = Double(digits).scaled(byTenTo: exponent + power) else { return nil }
        return byte(at: 0) == ASCII.minus ? -value : value
    }

    /// The value of any number of the grammar, converted through a `String`.
    func longDecimal() -> Double? {
        Double(String(decoding: self))
    }

    /// The exponent at `start`; 0 if there is none, nil if it has more than three digits.
    private func shortExponent(from start: Int) -> Int? {
        guard start < byteCount else { return 0 }
        let isNegative = byte(at: start) == ASCII.minus
        var at = isNegative || byte(at: start) == ASCII.plus ? start + 1 : start
        guard byteCount - at <= 3 else { return nil }
        var exponent = 0
        while at < byteCount {
            exponent = exponent * 10 + Int(byte(at: at) &- ASCII.zero)
            at += 1
        }
        return isNegative ? -exponent : exponent
    }
}

extension Double {
    /// The number times a power of ten; nil if that power is not exact.
    fileprivate func scaled(byTenTo exponent: Int) -> Double? {
        guard abs(exponent) <= 22 else { return nil }
        var power = 1.0
        for _ in 0..<abs(exponent) { power *= 10 }
        return exponent < 0 ? self / power : self * power
    }
}

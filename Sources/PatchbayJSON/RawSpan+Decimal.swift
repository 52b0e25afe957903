extension RawSpan {
    /// The number of the eight digits in a word, the first of them in its lowest bits; nil if one byte is none.
    @inlinable @inline(__always)
    static func eightDigits(in word: UInt64) -> UInt64? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // The upper half of each digit is 3, also after 6 is added.
        let upper = word & (ones &* 0xF0), upperOfMore = (word &+ ones &* 0x06) & (ones &* 0xF0)
        guard upper | upperOfMore >> 4 == ones &* 0x33 else { return nil }
        // Two digits, then four, then eight become one number, in all places at the same time.
        let digits = word & (ones &* 0x0F)
        let pairs = (digits &* 10 &+ digits >> 8) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_FFFF_0000_FFFF
        return (fours &* 10_000 &+ fours >> 32) & 0xFFFF_FFFF
    }

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

    /// Returns the exact value of a number of the grammar, whatever its spelling.
    ///
    /// - Parameter offset: the offset of the number, for errors.
    /// - Throws: ``JSONError`` for a number that is not whole or does not fit 64 bits.
    func wholeNumber(at offset: Int) throws(JSONError) -> Int64 {
        let isNegative = byte(at: 0) == ASCII.minus
        var magnitude: UInt64? = 0
        // Zeros that no other digit has followed yet scale the number; they are not digits of it.
        var zeros = 0, fractionDigits = 0, isFraction = false, at = isNegative ? 1 : 0
        while at < byteCount, byte(at: at) | 0x20 != 0x65 {
            let next = byte(at: at)
            at += 1
            if next == ASCII.point {
                isFraction = true
                continue
            }
            fractionDigits += isFraction ? 1 : 0
            zeros += 1
            guard next != ASCII.zero else { continue }
            magnitude = magnitude?.scaled(byTenTo: zeros)?.adding(UInt64(next &- ASCII.zero))
            zeros = 0
        }
        let scale = zeros - fractionDigits + clampedExponent(from: at + 1)
        guard magnitude == 0 || scale >= 0 else {
            throw JSONError(message: "expected a whole number, found a fraction", offset: offset)
        }
        let limit: UInt64 = isNegative ? 1 << 63 : 1 << 63 - 1
        guard let value = magnitude?.scaled(byTenTo: scale), value <= limit else {
            throw JSONError(message: "the number does not fit 64 bits", offset: offset)
        }
        return Int64(bitPattern: isNegative ? 0 &- value : value)
    }

    /// The exponent at `start`; 0 if there is none, and 2^40 for a larger one, which no number has enough digits for.
    private func clampedExponent(from start: Int) -> Int {
        let sign = byte(at: start)
        var at = sign == ASCII.minus || sign == ASCII.plus ? start + 1 : start
        var exponent = 0
        while at < byteCount {
            exponent = min(exponent * 10 + Int(byte(at: at) &- ASCII.zero), 1 << 40)
            at += 1
        }
        return sign == ASCII.minus ? -exponent : exponent
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

extension UInt64 {
    /// The number times a power of ten; nil if that does not fit.
    fileprivate func scaled(byTenTo exponent: Int) -> UInt64? {
        if self == 0 { return 0 }
        var value = self
        for _ in 0..<exponent {
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            if isTooLarge { return nil }
            value = product
        }
        return value
    }

    fileprivate func adding(_ other: UInt64) -> UInt64? {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? nil : sum
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

extension JSONWriter {
    /// Writes the key of the next value.
    @inlinable
    package mutating func key(_ name: StaticString) {
        separate()
        appendText(name.bytes)
        endKey()
    }

    /// Writes the key of the next value.
    @inlinable
    package mutating func key(_ name: String) {
        separate()
        appendText(name)
        endKey()
    }

    /// Writes a string.
    @inlinable
    package mutating func string(_ value: String) {
        separate()
        appendText(value)
    }

    /// Writes a string given as UTF-8; each malformed sequence is written as U+FFFD.
    @inlinable
    package mutating func string(utf8 value: RawSpan) {
        separate()
        appendText(value)
    }

    /// Writes a whole number.
    package mutating func integer(_ value: Int64) {
        separate()
        if value < 0 { bytes.append(ASCII.minus) }
        var digits = InlineArray<20, UInt8>(repeating: ASCII.zero)
        var first = 20
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = ASCII.zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        while first < 20 {
            bytes.append(digits[first])
            first += 1
        }
    }

    /// Writes a number with the fewest digits that are read as the same value.
    ///
    /// The value must be finite, because JSON has no infinity and no NaN.
    package mutating func real(_ value: Double) {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null`.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    @inlinable
    mutating func endKey() {
        bytes.append(ASCII.colon)
        if indentation != nil { bytes.append(ASCII.space) }
        place = .afterKey
    }
}

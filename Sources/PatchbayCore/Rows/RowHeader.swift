/// The first 8 bytes of a row: the number of its fields in the lowest byte, then a bit for each null field.
///
/// Bits 16 to 63 are those of fields 0 to 47. Fields 48 to 55 were added later and have bits 8 to 15, which are zero in
/// older rows.
@usableFromInline enum RowHeader {
    /// The null bit of a field.
    @inlinable @inline(__always)
    static func nullBit(_ position: Int) -> UInt64 {
        1 &<< UInt64(truncatingIfNeeded: position &+ (position < 48 ? 16 : 24))
    }

    /// The fields whose null bits are set.
    static func nullFields(_ header: UInt64) -> FieldSet {
        FieldSet(rawValue: header >> 16 | (header & 0xFF00) << 40)
    }
}

extension FieldSet {
    /// The null bits of the fields in the header of a row (``RowView``).
    package var nullBits: UInt64 { rawValue << 16 | rawValue >> 40 & 0xFF00 }
}

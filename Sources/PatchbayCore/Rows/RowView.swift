/// A row, as bytes.
///
/// A row is a header, one 8-byte slot per field, then the text. It points into memory that the storage owns, so it
/// cannot be copied and cannot leave the closure that receives it; copy the values you keep.
///
///     0        1            8                8 + 8 x fields
///     | count  | null bits  | slot 0 | ...   | text and bytes ...
///
/// The null bits of fields 0 to 47 are in bytes 2 to 7, and those of fields 48 to 55 in byte 1 (`RowHeader`). All
/// numbers are little-endian. The slot of an integer or real holds its 64 bits; the slot of text or bytes holds
/// the start (low 32 bits, from the row's first byte) and the length in bytes (high 32 bits). A row written under an
/// older schema has fewer slots; the missing fields read as null.
///
/// Reading a null field, or reading a field as another type, returns zero or empty; it never traps.
@frozen public struct RowView: ~Copyable, ~Escapable {
    @usableFromInline let bytes: RawSpan

    /// Accepts bytes from a ``RowBuilder`` or checked with ``RowView/check(_:_:)``.
    @inlinable @_lifetime(copy bytes)
    public init(unchecked bytes: RawSpan) { self.bytes = bytes }

    /// The size of the whole row.
    @inlinable public var byteCount: Int { bytes.byteCount }

    /// The number of slots in the row.
    @inlinable public var fieldCount: Int { Int(header & 0xFF) }

    @inlinable var header: UInt64 {
        // In bounds: every row has a header.
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
    }

    /// Whether the field is null or was added after the row was written.
    @inlinable public func isNull(_ position: Int) -> Bool {
        let header = header
        return position >= Int(header & 0xFF) || header & RowHeader.nullBit(position) != 0
    }

    @inlinable func slot(_ position: Int) -> UInt64 {
        guard position < fieldCount else { return 0 }
        // In bounds: the header's count of slots was checked against the length.
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }

    /// The value of an integer field; 0 when it is null.
    @inlinable public func integer(_ position: Int) -> Int64 { Int64(bitPattern: slot(position)) }

    /// The value of a real field; 0 when it is null.
    @inlinable public func real(_ position: Int) -> Double { Double(bitPattern: slot(position)) }

    /// The bytes of a text or bytes field, in place.
    @inlinable @_lifetime(copy self)
    public func bytes(_ position: Int) -> RawSpan {
        let slot = slot(position)
        let start = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF), count = Int(truncatingIfNeeded: slot >> 32)
        guard start <= bytes.byteCount, count <= bytes.byteCount &- start else {
            return bytes.extracting(first: 0)
        }
        return unsafe bytes.extracting(unchecked: start..<(start &+ count))
    }

    /// The text of a field. Bytes that are not UTF-8 are read as U+FFFD.
    @inlinable public func text(_ position: Int) -> String {
        unsafe bytes(position).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The value of a column. Text and bytes are copied.
    @inlinable public subscript<Value: ColumnValue>(column: RowColumn<Value>) -> Value {
        Value(self, at: column.position)
    }

    /// The whole row, in place.
    @inlinable public var rawBytes: RawSpan {
        @_lifetime(copy self) get { bytes }
    }

    /// A copy of the whole row.
    public func copyBytes() -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }

    /// Returns why bytes are not a valid row of this collection, or nil.
    ///
    /// A storage calls it once for bytes from disk; after that every field can be read without a check.
    public static func check(_ bytes: RawSpan, _ collection: CollectionSchema) -> String? {
        guard bytes.byteCount >= 8 else {
            return "the row has \(bytes.byteCount) bytes, fewer than its header"
        }
        let header = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
        let count = Int(header & 0xFF)
        guard count <= collection.fields.count else {
            return "the row has \(count) fields, more than its collection"
        }
        guard bytes.byteCount >= 8 + count * 8 else { return "the row is cut inside its slots" }
        let filled = ~RowHeader.nullFields(header).rawValue & ((1 << UInt64(count)) - 1)
        guard collection.requiredFields.rawValue & ~filled == 0 else {
            return "a required field is null"
        }
        if let position = pointerOutside(bytes, filled & collection.pointingFields.rawValue, 8 + count * 8) {
            return "\(collection.fields[position].name) points outside the row"
        }
        if let position = notANumber(bytes, filled & collection.realFields.rawValue) {
            return "\(collection.fields[position].name) is not a number"
        }
        return nil
    }

    /// The first of the given fields whose text is not between the end of the slots and the end of the row.
    private static func pointerOutside(_ bytes: RawSpan, _ positions: UInt64, _ textStart: Int) -> Int? {
        var left = positions
        while left != 0 {
            let position = left.trailingZeroBitCount
            let slot = uncheckedSlot(bytes, position)
            // Both are under 2^32, so the sum does not overflow.
            let start = Int(slot & 0xFFFF_FFFF), end = start &+ Int(slot >> 32)
            if start < textStart || end > bytes.byteCount { return position }
            left &= left &- 1
        }
        return nil
    }

    private static func notANumber(_ bytes: RawSpan, _ positions: UInt64) -> Int? {
        var left = positions
        while left != 0 {
            let position = left.trailingZeroBitCount
            if Double(bitPattern: uncheckedSlot(bytes, position)).isNaN { return position }
            left &= left &- 1
        }
        return nil
    }

    /// A slot that the caller has found to be inside the bytes.
    private static func uncheckedSlot(_ bytes: RawSpan, _ position: Int) -> UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }
}

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
    @inlinable package var nullBits: UInt64 { rawValue << 16 | rawValue >> 40 & 0xFF00 }
}

extension Span where Element == UInt8 {
    /// The bytes, without `unsafe`, which the standard library's property needs for types with padding.
    @inlinable @inline(__always)
    var bytes: RawSpan {
        @_lifetime(copy self) get { RawSpan(_elements: self) }
    }
}

extension RawSpan {
    /// Whether the bytes are valid for a text field: UTF-8 without U+0000.
    package var isText: Bool {
        unsafe withUnsafeBytes { bytes in
            if unsafe bytes.allSatisfy({ $0 &- 1 < 0x7F }) { return true }
            return unsafe !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        }
    }
}

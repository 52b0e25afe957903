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
}

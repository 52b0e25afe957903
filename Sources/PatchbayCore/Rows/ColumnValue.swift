/// A Swift type that can be stored in a field.
public protocol ColumnValue: Sendable {
    /// The type of the field.
    static var fieldType: FieldType { get }
    /// Whether the field may be null.
    static var isOptional: Bool { get }
    /// Reads the field at a position; zero or empty when it is null and the type is not optional.
    init(_ row: borrowing RowView, at position: Int)
    /// Sets the field at a position.
    func write(to row: inout RowBuilder, at position: Int)
}

extension ColumnValue {
    /// False, because only an `Optional` value may be null.
    @inlinable public static var isOptional: Bool { false }
}

extension Int64: ColumnValue {
    /// An integer.
    @inlinable public static var fieldType: FieldType { .integer }
    /// Reads an integer field; 0 when it is null.
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.integer(position) }
    /// Sets an integer field.
    @inlinable public func write(to row: inout RowBuilder, at position: Int) { row.set(position, self) }
}

/// True is 1, false is 0.
extension Bool: ColumnValue {
    /// An integer, 1 or 0.
    @inlinable public static var fieldType: FieldType { .integer }
    /// Reads an integer field. Every number except 0 is true; null is false.
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.integer(position) != 0 }
    /// Sets an integer field to 1 or 0.
    @inlinable public func write(to row: inout RowBuilder, at position: Int) {
        row.set(position, self ? 1 : 0 as Int64)
    }
}

extension Double: ColumnValue {
    /// A floating-point number; a row with NaN is refused.
    @inlinable public static var fieldType: FieldType { .real }
    /// Reads a real field; 0 when it is null.
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.real(position) }
    /// Sets a real field; -0 becomes 0.
    @inlinable public func write(to row: inout RowBuilder, at position: Int) { row.set(position, self) }
}

extension String: ColumnValue {
    /// UTF-8 text; a row with U+0000 in it is refused.
    @inlinable public static var fieldType: FieldType { .text }
    /// Copies a text field; empty when it is null. Bytes that are not UTF-8 are read as U+FFFD.
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.text(position) }
    /// Sets a text field.
    @inlinable public func write(to row: inout RowBuilder, at position: Int) { row.set(position, self) }
}

extension [UInt8]: ColumnValue {
    /// Bytes of any value.
    @inlinable public static var fieldType: FieldType { .bytes }
    /// Copies a bytes field; empty when it is null.
    @inlinable public init(_ row: borrowing RowView, at position: Int) {
        self = unsafe row.bytes(position).withUnsafeBytes { unsafe [UInt8]($0) }
    }
    /// Sets a bytes field.
    @inlinable public func write(to row: inout RowBuilder, at position: Int) {
        row.set(position, bytes: span.bytes)
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    /// The type of the wrapped value.
    @inlinable public static var fieldType: FieldType { Wrapped.fieldType }
    /// True, because nil is stored as null.
    @inlinable public static var isOptional: Bool { true }
    /// Reads the field; nil when it is null, as in a row that was written before the field was added.
    @inlinable public init(_ row: borrowing RowView, at position: Int) {
        self = row.isNull(position) ? nil : Wrapped(row, at: position)
    }
    /// Sets the field to the wrapped value, or to null.
    @inlinable public func write(to row: inout RowBuilder, at position: Int) {
        if let self { self.write(to: &row, at: position) } else { row.setNull(position) }
    }
}

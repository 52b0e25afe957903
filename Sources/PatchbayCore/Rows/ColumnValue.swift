/// A Swift type that can be stored in a field.
public protocol ColumnValue: Sendable {
    static var fieldType: FieldType { get }
    static var isOptional: Bool { get }
    init(_ row: borrowing RowView, at position: Int)
    func write(to row: inout RowBuilder, at position: Int)
}

extension ColumnValue {
    @inlinable public static var isOptional: Bool { false }
}

extension Int64: ColumnValue {
    @inlinable public static var fieldType: FieldType { .integer }
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.integer(position) }
    @inlinable public func write(to row: inout RowBuilder, at position: Int) { row.set(position, self) }
}

/// True is 1, false is 0.
extension Bool: ColumnValue {
    @inlinable public static var fieldType: FieldType { .integer }
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.integer(position) != 0 }
    @inlinable public func write(to row: inout RowBuilder, at position: Int) {
        row.set(position, self ? 1 : 0 as Int64)
    }
}

extension Double: ColumnValue {
    @inlinable public static var fieldType: FieldType { .real }
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.real(position) }
    @inlinable public func write(to row: inout RowBuilder, at position: Int) { row.set(position, self) }
}

extension String: ColumnValue {
    @inlinable public static var fieldType: FieldType { .text }
    @inlinable public init(_ row: borrowing RowView, at position: Int) { self = row.text(position) }
    @inlinable public func write(to row: inout RowBuilder, at position: Int) { row.set(position, self) }
}

extension [UInt8]: ColumnValue {
    @inlinable public static var fieldType: FieldType { .bytes }
    @inlinable public init(_ row: borrowing RowView, at position: Int) {
        self = row.bytes(position).withUnsafeBytes { unsafe [UInt8]($0) }
    }
    @inlinable public func write(to row: inout RowBuilder, at position: Int) {
        row.set(position, bytes: span.bytes)
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    @inlinable public static var fieldType: FieldType { Wrapped.fieldType }
    @inlinable public static var isOptional: Bool { true }
    @inlinable public init(_ row: borrowing RowView, at position: Int) {
        self = row.isNull(position) ? nil : Wrapped(row, at: position)
    }
    @inlinable public func write(to row: inout RowBuilder, at position: Int) {
        if let self { self.write(to: &row, at: position) } else { row.setNull(position) }
    }
}

/// A record whose columns are listed once, for its collection, for reading and for writing.
package protocol ColumnRecord: StoredRecord {
    /// Creates a record for reading its columns.
    init()
    /// The columns in the order of their positions.
    static var columns: [RecordColumn<Self>] { get }
}

extension ColumnRecord {
    package init(_ row: borrowing RowView) {
        self.init()
        for column in Self.columns { column.read(&self, row) }
    }

    package func write(to row: inout RowBuilder) {
        for column in Self.columns { column.write(self, &row) }
    }

    /// The declarations of the columns, for the collection.
    package static var fields: [Field] { columns.map(\.field) }
}

/// A column of a record with the property that has its value.
@usableFromInline
package struct RecordColumn<Record>: Sendable {
    /// The position in the collection's fields, from 0.
    @usableFromInline package let position: Int
    /// The declaration of the field.
    @usableFromInline package let field: Field
    @usableFromInline let read: @Sendable (inout Record, borrowing RowView) -> Void
    @usableFromInline let write: @Sendable (Record, inout RowBuilder) -> Void

    // Inlined where a record declares its columns, because the compiler then replaces the key path by the property.

    /// Creates a column.
    ///
    /// - Parameter isOwnStorage: as in ``Field/isOwnStorage``.
    @inlinable @inline(__always)
    package init<Value: ColumnValue>(
        _ position: Int, _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable,
        isOwnStorage: Bool = false
    ) {
        let column = RowColumn<Value>(position, name)
        self.position = position
        field = column.field(isOwnStorage: isOwnStorage)
        read = { $0[keyPath: path] = $1[column] }
        write = { $1[column] = $0[keyPath: path] }
    }

    /// A column with a count, which is read as at least 0 and at most ``countMax``, because other programs can store
    /// any number.
    @inlinable @inline(__always)
    package init(
        _ position: Int, _ name: String, count path: any WritableKeyPath<Record, Int64> & Sendable
    ) {
        let column = RowColumn<Int64>(position, name)
        self.position = position
        field = column.field
        read = { $0[keyPath: path] = min(max($1[column], 0), Self.countMax) }
        write = { $1[column] = $0[keyPath: path] }
    }

    /// The same for a count that may be unknown.
    @inlinable @inline(__always)
    package init(
        _ position: Int, _ name: String, count path: any WritableKeyPath<Record, Int64?> & Sendable
    ) {
        let column = RowColumn<Int64?>(position, name)
        self.position = position
        field = column.field
        read = { $0[keyPath: path] = $1[column].map { min(max($0, 0), Self.countMax) } }
        write = { $1[column] = $0[keyPath: path] }
    }

    /// The largest count, with which sums and products of a few of them do not overflow.
    @usableFromInline static var countMax: Int64 { 1 << 48 }

    /// A column whose value follows from the others; it is only written.
    @inlinable @inline(__always)
    package init<Value: ColumnValue>(
        _ position: Int, _ name: String, derived path: any KeyPath<Record, Value> & Sendable
    ) {
        let column = RowColumn<Value>(position, name)
        self.position = position
        field = column.field
        read = { _, _ in }
        write = { $1[column] = $0[keyPath: path] }
    }
}

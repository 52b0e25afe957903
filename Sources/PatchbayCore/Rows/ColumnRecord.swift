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
package struct RecordColumn<Record>: Sendable {
    /// The position in the collection's fields, from 0.
    package let position: Int
    /// The declaration of the field.
    package let field: Field
    @usableFromInline let read: @Sendable (inout Record, borrowing RowView) -> Void
    @usableFromInline let write: @Sendable (Record, inout RowBuilder) -> Void

    /// A column whose values belong to the storage and not to the record (``Field/isOwnStorage``).
    package init<Value: ColumnValue>(
        _ position: Int, _ name: String, ownStorage path: any WritableKeyPath<Record, Value> & Sendable
    ) {
        let column = RowColumn<Value>(position, name)
        self.position = position
        field = column.ownStorageField
        read = { $0[keyPath: path] = $1[column] }
        write = { $1[column] = $0[keyPath: path] }
    }

    // Inlined where a record declares its columns, because the compiler then replaces the key path by the property.

    @inlinable @inline(__always)
    package init<Value: ColumnValue>(
        _ position: Int, _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable
    ) {
        let column = RowColumn<Value>(position, name)
        self.position = position
        field = column.field
        read = { $0[keyPath: path] = $1[column] }
        write = { $1[column] = $0[keyPath: path] }
    }

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

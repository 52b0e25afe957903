import PatchbayCore

/// Encodes rows in the binary formats of the server.
struct RowEncoding: ~Copyable {
    private var buffer = ByteBuffer()

    /// Returns rows in the binary format of COPY.
    mutating func copyFormat(_ rows: RowBatch) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        for byte in RowEncoding.copySignature { buffer.append(byte) }
        // No flags, no header extension.
        buffer.append(0 as Int64)
        let types = rows.collection.fields.map(\.type)
        for number in 0..<rows.count {
            buffer.append(Int16(types.count))
            appendCounted(rows.row(number), types)
        }
        buffer.append(-1 as Int16)
        return unsafe buffer.bytes
    }

    private static let copySignature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]

    private mutating func appendCounted(_ row: borrowing RowView, _ types: [FieldType]) {
        for position in types.indices { appendCounted(row, position, types[position]) }
    }

    /// Passes each column to `body` as an array with one element per row.
    mutating func withArrays<Result>(
        _ rows: RowBatch,
        _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>, UnsafeBufferPointer<Int32>) -> Result
    ) -> Result {
        buffer.removeAll()
        let types = rows.collection.fields.map(\.type)
        let ends = types.indices.map { position in
            appendArrayHead(types[position], rows.count)
            for number in 0..<rows.count { appendCounted(rows.row(number), position, types[position]) }
            return buffer.count
        }
        return unsafe buffer.bytes.withValues(endingAt: ends, body)
    }

    /// Passes each value of one row to `body`.
    mutating func withValues<Result>(
        _ row: borrowing RowView, _ collection: CollectionSchema,
        _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>, UnsafeBufferPointer<Int32>) -> Result
    ) -> Result {
        buffer.removeAll()
        var ends: [Int] = [], nulls = FieldSet()
        for (position, field) in collection.fields.enumerated() {
            if row.isNull(position) {
                nulls.formUnion(FieldSet(rawValue: 1 << UInt64(position)))
            } else {
                appendValue(row, position, field.type)
            }
            ends.append(buffer.count)
        }
        return unsafe buffer.bytes.withValues(endingAt: ends, nulls: nulls, body)
    }

    private mutating func appendArrayHead(_ type: FieldType, _ count: Int) {
        // One dimension, possible nulls, the element type, the number of elements, and 1 as the first index.
        buffer.append(1 as Int32)
        buffer.append(1 as Int32)
        buffer.append(type.serverType)
        buffer.append(Int32(count))
        buffer.append(1 as Int32)
    }

    /// Appends a value, preceded by its length.
    @inline(__always)
    private mutating func appendCounted(_ row: borrowing RowView, _ position: Int, _ type: FieldType) {
        if row.isNull(position) { return buffer.append(-1 as Int32) }
        switch type {
        case .integer, .real: buffer.append(8 as Int32)
        case .text, .bytes: buffer.append(Int32(truncatingIfNeeded: row.bytes(position).byteCount))
        }
        appendValue(row, position, type)
    }

    @inline(__always)
    private mutating func appendValue(_ row: borrowing RowView, _ position: Int, _ type: FieldType) {
        switch type {
        case .integer: buffer.append(row.integer(position))
        case .real: buffer.append(row.real(position).bitPattern)
        case .text, .bytes: buffer.append(row.bytes(position))
        }
    }
}

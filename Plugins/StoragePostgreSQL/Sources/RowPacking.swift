import PatchbayCore

/// Encodes the rows of an answer, one after another into the same memory; see ``PatchbayCore/RowView`` for the layout.
///
/// Safe, because it owns its memory, which has room for every slot and grows before each text, and lends rows only
/// while a closure runs.
@safe struct RowPacking: ~Copyable {
    private let columns: RowColumns
    private let server: String
    private var buffer: UnsafeMutableRawBufferPointer
    /// The size of the longest row so far, in bytes.
    private(set) var longestRow = 1

    init(_ columns: RowColumns, server: String) {
        self.columns = columns
        self.server = server
        unsafe buffer = .allocate(byteCount: max(1_024, columns.headBytes * 2), alignment: 8)
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { unsafe buffer.deallocate() }

    /// Throws `corrupted` when the columns of an answer have other types than the fields.
    func check(_ answer: Answer) throws {
        for (place, column) in columns.columns.enumerated()
        where Int32(bitPattern: answer.type(place)) != column.databaseType {
            throw fault(column, "is no longer \(column.type.sqlName)", answer, nil)
        }
    }

    /// Visits one row of an answer.
    ///
    /// - Throws: the error of `visit`; `corrupted` for a value that the field cannot have.
    @inline(__always)
    mutating func visit<Result>(
        _ row: Int, of answer: Answer, _ visit: (borrowing RowView) throws -> Result
    ) throws -> Result {
        let count = try pack(row, of: answer)
        if count > longestRow { longestRow = count }
        let bytes = unsafe UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)
        return try visit(RowView(unchecked: unsafe bytes.bytes))
    }

    private mutating func pack(_ row: Int, of answer: Answer) throws -> Int {
        var nulls = columns.leftOut
        var end = columns.headBytes
        for (place, column) in columns.columns.enumerated() {
            var slot: UInt64 = 0
            if answer.isNull(row, place) {
                guard column.isOptional else { throw fault(column, "must not be null", answer, row) }
                nulls |= column.nullBit
            } else {
                switch column.type {
                case .integer: slot = answer.word(row, place)
                case .real:
                    let real = Double(bitPattern: answer.word(row, place))
                    if real.isNaN { throw fault(column, "is not a number", answer, row) }
                    // Adding 0 turns -0, which another program may have stored, into 0.
                    slot = (real + 0).bitPattern
                case .text, .bytes:
                    slot = unsafe try append(answer.bytes(row, place), column, &end, answer, row)
                }
            }
            store(slot, at: 8 &+ column.position &* 8)
        }
        store(UInt64(columns.fieldCount) | nulls, at: 0)
        return end
    }

    private func store(_ value: UInt64, at offset: Int) {
        unsafe buffer.baseAddress!.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private mutating func append(
        _ bytes: UnsafeRawBufferPointer, _ column: RowColumns.Column, _ end: inout Int, _ answer: Answer,
        _ row: Int
    ) throws -> UInt64 {
        let count = bytes.count
        let slot = UInt64(truncatingIfNeeded: count) << 32 | UInt64(truncatingIfNeeded: end)
        guard count > 0, let start = bytes.baseAddress else { return slot }
        if unsafe end &+ count > buffer.count {
            guard end + count <= Limits.rowBytes else {
                throw fault(column, "makes the row longer than \(Limits.rowBytes) bytes", answer, row)
            }
            reserve(end + count, keeping: end)
        }
        unsafe (buffer.baseAddress! + end).copyMemory(from: start, byteCount: count)
        end &+= count
        return slot
    }

    /// Enlarges the buffer. New bytes are zero, and so are the slots of fields that are not selected.
    private mutating func reserve(_ count: Int, keeping used: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count * 2, alignment: 8)
        unsafe larger.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<used]))
        unsafe buffer.deallocate()
        unsafe buffer = larger
    }

    private func fault(
        _ column: RowColumns.Column, _ what: String, _ answer: Answer, _ row: Int?
    ) -> PatchbayError {
        let collection = columns.collection, field = collection.fields[column.position].name
        return PatchbayError(
            .corrupted, "\(collection.name).\(field) \(what) in the database; correct it with SQL",
            [.server(server), .collection(collection.name), .field(field)]
                + (row.map { [.key(key(of: $0, answer))] } ?? []))
    }

    /// The key of a row, as text.
    private func key(of row: Int, _ answer: Answer) -> String {
        columns.keyPlaces.map { place in
            columns.columns[place].type == .integer
                ? String(answer.integer(row, place)) : answer.text(row, place)
        }.joined(separator: ", ")
    }
}

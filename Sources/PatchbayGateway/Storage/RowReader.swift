import PatchbayCore
import PatchbayJSON

/// Reads rows from lines in a ``TransferFormat`` and validates them.
struct RowReader: ~Copyable {
    let collection: CollectionSchema
    /// By position; nil for a field that belongs to the storage.
    private let names: [[UInt8]?]
    private var builder = RowBuilder()
    private var text: [UInt8] = []
    private var seen = FieldSet()
    /// The hashes of the keys and values of the rows so far, as many as the limit allows.
    private var rows: [Int: Int] = [:]
    private static let rowsMax = 1_000_000

    init(_ collection: CollectionSchema) {
        self.collection = collection
        names = collection.fields.map { $0.isOwnStorage ? nil : Array($0.name.utf8) }
    }

    /// Appends the row of a line of JSON.
    mutating func readJSON(_ line: [UInt8], into batch: inout RowBatch) throws {
        var reader = JSONReader(line.span.bytes)
        begin()
        var next = 0
        try reader.beginObject()
        while let name = try reader.nextKey() {
            let position = try position(of: name, expecting: next)
            next = position + 1
            try readValue(&reader, position, of: line)
        }
        try reader.finish()
        try finish(into: &batch)
    }

    /// Appends the row of a CSV record.
    ///
    /// - Parameter columns: the positions of the fields in the order of the record.
    mutating func readCSV(_ fields: [CSVRecord.Field], _ columns: [Int], into batch: inout RowBatch) throws {
        guard fields.count == columns.count else {
            throw LineFault("the line has \(fields.count) fields, but the first line names \(columns.count)")
        }
        begin()
        for (field, position) in zip(fields, columns) where !(field.bytes.isEmpty && !field.isQuoted) {
            try set(position, field.bytes)
        }
        try finish(into: &batch)
    }

    /// The positions of the fields named in the first line of CSV.
    func columns(_ fields: [CSVRecord.Field]) throws -> [Int] {
        var columns: [Int] = []
        for field in fields {
            guard let position = names.firstIndex(of: field.bytes) else {
                throw unknown(String(decoding: field.bytes, as: UTF8.self))
            }
            if columns.contains(position) { throw twice(position) }
            columns.append(position)
        }
        return columns
    }

    private mutating func begin() {
        builder.begin(collection)
        seen = []
    }

    private mutating func finish(into batch: inout RowBatch) throws {
        let collection = collection
        var entry: [UInt8] = []
        let row = try builder.finish()
        // Checks the keys here, so that an error about them includes the line.
        try collection.appendEntry(of: row, in: collection.primaryKey, to: &entry)
        let key = entry.hashValue
        for index in collection.indexes {
            entry.removeAll(keepingCapacity: true)
            try collection.appendEntry(of: row, in: index, to: &entry)
        }
        var hasher = Hasher()
        unsafe row.rawBytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        let value = hasher.finalize()
        batch.append(row)
        if let known = rows[key], known != value {
            throw LineFault("a line before has other values for the same key; keep one of them")
        }
        if rows.count < Self.rowsMax { rows[key] = value }
    }

    /// The position of a named field. Tries the expected one first, because most files have the order of the
    /// collection.
    private mutating func position(of name: borrowing JSONText, expecting next: Int) throws -> Int {
        text.removeAll(keepingCapacity: true)
        name.append(to: &text)
        let isExpected = next < names.count && names[next] == text
        guard let position = isExpected ? next : names.firstIndex(of: text) else {
            throw unknown(String(decoding: text, as: UTF8.self))
        }
        if seen.contains(position: position) { throw twice(position) }
        seen.insert(FieldSet(positions: [position]))
        return position
    }

    private mutating func readValue(
        _ reader: inout JSONReader, _ position: Int, of line: [UInt8]
    ) throws {
        if try reader.readNull() { return }
        let type = collection.fields[position].type
        switch (type, try reader.peek()) {
        case (.integer, .number): builder.set(position, try reader.readInteger())
        case (.real, .number): builder.set(position, try reader.readDouble())
        case (_, .string):
            text.removeAll(keepingCapacity: true)
            let start = reader.offset, read = try reader.readText(), hasEscapes = read.hasEscapes
            read.append(to: &text)
            if hasEscapes, JSONText.hasHalfPair(in: Array(line[start..<reader.offset])) {
                throw LineFault("\(collection.fields[position].name) holds half of a surrogate pair")
            }
            try set(position, text)
        case (.integer, _): builder.set(position, try reader.readInteger())
        case (.real, _): builder.set(position, try reader.readDouble())
        default: _ = try reader.readText()
        }
    }

    /// Sets a field from its text.
    private mutating func set(_ position: Int, _ text: [UInt8]) throws {
        let field = collection.fields[position]
        switch field.type {
        case .text:
            // JSON was checked by its reader; CSV may contain anything.
            guard text.span.bytes.isText else {
                throw LineFault("\(field.name) holds U+0000 or bytes that are not UTF-8")
            }
            builder.set(position, utf8: text.span.bytes)
        case .bytes:
            guard let bytes = Base64.decode(text.span.bytes) else {
                throw LineFault("\(field.name) is not base64")
            }
            builder.set(position, bytes: bytes.span.bytes)
        case .integer:
            guard let value = Int64(String(decoding: text, as: UTF8.self)) else {
                throw LineFault("\(field.name) is not a whole number of 64 bits")
            }
            builder.set(position, value)
        case .real:
            guard let value = RowReader.real(String(decoding: text, as: UTF8.self)) else {
                throw LineFault("\(field.name) is not a number")
            }
            builder.set(position, value)
        }
    }

    private static func real(_ text: String) -> Double? {
        switch text {
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default:
            // Swift also parses hexadecimal numbers, "nan" and "inf", which are not part of the format.
            guard let value = Double(text), value.isFinite, !text.contains("x"), !text.contains("X") else {
                return nil
            }
            return value
        }
    }

    private func unknown(_ name: String) -> LineFault {
        let meant = EditDistance.suggestion(for: name, in: collection.fields.map(\.name))
        return LineFault("\(collection.name) has no field \"\(name)\"\(meant)")
    }

    private func twice(_ position: Int) -> LineFault {
        LineFault("the field \"\(collection.fields[position].name)\" occurs twice")
    }
}

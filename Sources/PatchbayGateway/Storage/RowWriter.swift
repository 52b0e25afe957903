import PatchbayCore
import PatchbayJSON

/// Writes rows in a ``TransferFormat``.
struct RowWriter: ~Copyable {
    private let format: TransferFormat
    private let collection: CollectionSchema
    private var json = JSONWriter()
    private var csv: [UInt8] = []

    init(_ format: TransferFormat, _ collection: CollectionSchema) {
        self.format = format
        self.collection = collection
    }

    /// Returns the bytes written since the last call.
    mutating func takeBytes() -> [UInt8] {
        defer {
            json.reset()
            csv.removeAll(keepingCapacity: true)
        }
        return format == .csv ? csv : json.bytes
    }

    /// Writes the part before the rows.
    ///
    /// - Parameter isNamed: whether a line of JSON names the collection.
    mutating func begin(isNamed: Bool) {
        switch format {
        case .csv:
            csv += collection.fields.filter { !$0.isOwnStorage }.map(\.name).joined(separator: ",").utf8
            csv.append(UInt8(ascii: "\n"))
        case .jsonl where isNamed:
            json.beginObject()
            json.key("_collection")
            json.string(collection.name)
            json.key("_definition")
            json.string(collection.definition)
            json.endObject()
            json.newline()
        case .jsonl: break
        }
    }

    /// Writes a row as a line.
    mutating func write(_ row: borrowing RowView) throws {
        for (position, field) in collection.fields.enumerated()
        where field.type == .text && !row.isNull(position) && !row.bytes(position).isText {
            throw PatchbayError(
                .invalidValue,
                "\(collection.name).\(field.name) of the row \(collection.key(of: row)) is not text: it holds "
                    + "U+0000 or bytes that are not UTF-8; correct it with the program that wrote it, or, if none did, "
                    + "the storage is damaged: restore it from a copy")
        }
        if format == .csv { writeCSV(row) } else { writeJSON(row) }
    }

    private mutating func writeJSON(_ row: borrowing RowView) {
        json.beginObject()
        for (position, field) in collection.fields.enumerated()
        where !row.isNull(position) && !field.isOwnStorage {
            json.key(field.name)
            switch field.type {
            case .integer:
                let value = row.integer(position)
                if RowWriter.exactIntegers.contains(value) {
                    json.integer(value)
                } else {
                    json.string(String(value))
                }
            case .real:
                let value = row.real(position)
                if value.isFinite { json.real(value) } else { json.string(RowWriter.text(value)) }
            case .text: json.string(utf8: row.bytes(position))
            case .bytes:
                var letters: [UInt8] = []
                Base64.append(row.bytes(position), to: &letters)
                json.string(utf8: letters.span.bytes)
            }
        }
        json.endObject()
        json.newline()
    }

    private mutating func writeCSV(_ row: borrowing RowView) {
        var isFirst = true
        for (position, field) in collection.fields.enumerated() where !field.isOwnStorage {
            if !isFirst { csv.append(UInt8(ascii: ",")) }
            isFirst = false
            if row.isNull(position) { continue }
            switch field.type {
            case .integer: csv += String(row.integer(position)).utf8
            case .real: csv += RowWriter.text(row.real(position)).utf8
            case .text: CSVField.append(row.bytes(position), to: &csv)
            case .bytes:
                if row.bytes(position).isEmpty { csv += "\"\"".utf8 }
                Base64.append(row.bytes(position), to: &csv)
            }
        }
        csv.append(UInt8(ascii: "\n"))
    }

    /// The integers that every JSON reader reads exactly.
    private static let exactIntegers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    private static func text(_ value: Double) -> String {
        value.isFinite ? value.description : value.infinityWord
    }
}

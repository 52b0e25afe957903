import HTTPTypes
import PatchbayCore

/// Digests are stored as 32 hexadecimal digits, which every storage can compare.
extension StoredAnswer: StoredRecord {
    static let path = RowColumn<String>(0, "path_digest")
    static let address = RowColumn<String>(1, "address_digest")
    static let variant = RowColumn<String>(2, "variant_digest")
    static let target = RowColumn<String>(3, "target")
    static let partition = RowColumn<String>(4, "partition")
    static let selecting = RowColumn<String>(5, "selecting")
    static let status = RowColumn<Int64>(6, "status")
    static let fields = RowColumn<String>(7, "fields")
    static let body = RowColumn<[UInt8]>(8, "body")
    static let requestedAt = RowColumn<Timestamp>(9, "requested_at_ms")
    static let receivedAt = RowColumn<Timestamp>(10, "received_at_ms")
    static let isFullLastPage = RowColumn<Int64>(11, "is_full_last_page")
    static let bytes = RowColumn<Int64>(12, "bytes")
    static let usedAt = RowColumn<Timestamp>(13, "used_at_ms")

    static let byUse = Index("by_use", .exact(usedAt.position))

    static let collection = CollectionSchema(
        "served_answers", key: path.position, address.position, variant.position, indexes: [byUse],
        fields: [
            path.field, address.field, variant.field, target.field, partition.field, selecting.field,
            status.field, fields.field, body.field, requestedAt.field, receivedAt.field,
            isFullLastPage.field, bytes.field, usedAt.field,
        ])

    var key: Key {
        let digests = [place.path, place.address, variant]
        return .compound(digests.map { .text($0.hexadecimal) })
    }

    init(_ row: borrowing RowView) {
        self.init(
            place: AnswerPlace(
                path: UInt128(hexadecimal: row[Self.path]) ?? 0,
                address: UInt128(hexadecimal: row[Self.address]) ?? 0,
                partition: UInt128(hexadecimal: row[Self.partition]) ?? 0),
            variant: UInt128(hexadecimal: row[Self.variant]) ?? 0, target: row[Self.target],
            selecting: FieldLines.read(row[Self.selecting]).compactMap { line in
                HTTPField.Name(line.name).map { name in
                    .init(name: name, value: line.value.hasPrefix("=") ? String(line.value.dropFirst()) : nil)
                }
            },
            status: Int(row[Self.status]),
            // A store may come from another machine, so its answers are treated like those of the server.
            fields: ForwardedFields.response(
                HTTPFields(
                    FieldLines.read(row[Self.fields]).compactMap { line in
                        HTTPField.Name(line.name).map { HTTPField(name: $0, value: line.value) }
                    }), status: Int(row[Self.status])),
            body: row[Self.body], requestedAt: row[Self.requestedAt], receivedAt: row[Self.receivedAt],
            isFullLastPage: row[Self.isFullLastPage] != 0, usedAt: row[Self.usedAt])
    }

    /// Returns the size of a stored answer; of a row with another number, the nearest possible one.
    static func byteCount(of row: borrowing RowView) -> Int {
        Int(min(max(row[Self.bytes], 0), Int64(2 * bodyBytesMax)))
    }

    func write(to row: inout RowBuilder) {
        row[Self.path] = place.path.hexadecimal
        row[Self.address] = place.address.hexadecimal
        row[Self.variant] = variant.hexadecimal
        row[Self.target] = target
        row[Self.partition] = place.partition.hexadecimal
        row[Self.selecting] = FieldLines.text(
            selecting.map { ($0.name.canonicalName, $0.value.map { "=" + $0 } ?? "-") })
        row[Self.status] = Int64(status)
        row[Self.fields] = FieldLines.text(fields.map { ($0.name.rawName, $0.value) })
        row[Self.body] = body
        row[Self.requestedAt] = requestedAt
        row[Self.receivedAt] = receivedAt
        row[Self.isFullLastPage] = isFullLastPage ? 1 : 0
        row[Self.bytes] = Int64(byteCount)
        row[Self.usedAt] = usedAt
    }
}

/// Header fields as text, one per line, because neither names nor values contain line breaks.
private enum FieldLines {
    static func text(_ lines: [(name: String, value: String)]) -> String {
        lines.map { "\($0.name): \($0.value)\n" }.joined()
    }

    static func read(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "\n").map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name), String(line.dropFirst(name.count + 2)))
        }
    }
}

import HTTPTypes
import PatchbayCore

/// A cached answer of the server, with its recipients and times.
struct StoredAnswer: Sendable {
    /// The maximum size of a stored body, in bytes.
    static let bodyBytesMax = 8 << 20

    let place: AnswerPlace
    /// Distinguishes the answer from others of its address.
    let variant: UInt128
    /// The address without its query, which may contain secrets.
    let target: String
    /// The request fields on which the answer depends within its place.
    let selecting: [Selecting]
    let status: Int
    private(set) var fields: HTTPFields
    let body: [UInt8]
    private(set) var requestedAt: Timestamp
    private(set) var receivedAt: Timestamp
    /// Whether the answer is a full last page of a list. Its confirmation would not prove that no page follows.
    let isFullLastPage: Bool
    private(set) var freshness: Freshness
    /// The time of the last use, up to 10 minutes too early.
    var usedAt: Timestamp
    /// The rewritten form for the last client.
    private(set) var prepared = PreparedAnswer()

    /// A field of a request with its value; nil if it was not sent.
    struct Selecting: Hashable, Sendable {
        let name: HTTPField.Name
        let value: String?
    }

    init(
        place: AnswerPlace, variant: UInt128, target: String, selecting: [Selecting], status: Int,
        fields: HTTPFields, body: [UInt8], requestedAt: Timestamp, receivedAt: Timestamp,
        isFullLastPage: Bool, usedAt: Timestamp
    ) {
        self.place = place
        self.variant = variant
        self.target = target
        self.selecting = selecting
        self.status = status
        self.fields = fields
        self.body = body
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        self.isFullLastPage = isFullLastPage
        self.usedAt = usedAt
        freshness = Freshness(fields, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// The size of the answer in the storage, in bytes.
    var byteCount: Int {
        body.count + target.utf8.count
            + fields.reduce(256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
    }

    /// An upper estimate of the memory that the answer occupies, in bytes.
    ///
    /// The fields are held three times, as received, as ``prepared`` for a client and encoded; a body whose addresses
    /// may be rewritten twice; and 512 bytes are for the fields that change over time. An element of `HTTPFields` has
    /// 64 bytes, and a text that does not fit into it has its own allocation.
    var memoryBytes: Int {
        func allocated(_ text: String) -> Int { text.utf8.count > 15 ? text.utf8.count + 48 : 0 }
        let texts = fields.reduce(allocated(target)) {
            $0 + 288 + 3 * allocated($1.name.rawName) + 2 * allocated($1.value)
        }
        return 1_536 + texts + (fields.isJSON ? 2 : 1) * body.count
    }

    /// The tag with which the server can confirm the answer.
    var entityTag: String? { fields[.eTag].flatMap { EntityTag.isUsable($0) ? $0 : nil } }

    /// The paths of the other pages of a list, which may differ from its own: GitHub names its lists by the number of
    /// the repository there.
    var pagePaths: [String] { Self.pagePaths(target, fields[.link]) }

    fileprivate static func pagePaths(_ target: String, _ links: String?) -> [String] {
        guard let links, let address = HTTPAddress(target) else { return [] }
        return Link.links(in: links).compactMap { link in
            address.resolving(link.target).map { String($0.text.prefix { $0 != "?" }) }
        }
    }

    /// Whether the answer was requested after another one that arrived later. One whose time is in the future was
    /// received before the clock was set back.
    func isNewer(than other: StoredAnswer) -> Bool {
        requestedAt > other.requestedAt && receivedAt <= other.receivedAt
    }

    /// Returns the value of a field for comparisons, without white space around the commas of lists.
    static func normalized(_ value: String?) -> String? {
        guard let value, value.utf8.offset(where: { $0 == 0x20 || $0 == 0x09 }) != nil else { return value }
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        return parts.map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }.joined(
            separator: ",")
    }

    /// The fields of a 304 that do not describe the stored body (RFC 9111, section 3.2).
    private static let kept: Set<HTTPField.Name> = [
        .contentLength, .contentEncoding, .contentRange, .transferEncoding, .setCookie,
    ]

    /// Updates the answer after the server has confirmed it.
    mutating func confirm(_ new: HTTPFields, requestedAt: Timestamp, receivedAt: Timestamp) {
        for name in Set(new.map(\.name)) where !Self.kept.contains(name) {
            // The same tag may be spelled differently; clients have the one that was sent with the body.
            if name == .eTag, let tag = new[name], fields[name].map({ EntityTag.isEqual($0, tag) }) ?? false {
                continue
            }
            fields[fields: name] = new[fields: name]
        }
        // An age belongs to the answer with which it was sent.
        if new[.age] == nil { fields[.age] = nil }
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        freshness = Freshness(fields, requestedAt: requestedAt, receivedAt: receivedAt)
        prepared = PreparedAnswer()
    }
}

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

extension Reading {
    /// The paths of other pages that the stored answers of some paths name.
    func pagePaths(namedBy paths: Set<UInt128>) throws -> Set<String> {
        let fields = FieldSet(positions: [StoredAnswer.target.position, StoredAnswer.fields.position])
        var named: Set<String> = []
        for path in paths {
            let bounds = Bounds.equal([.text(path.hexadecimal)])
            try scan(Query(StoredAnswer.collection, bounds, fields: fields)) { row in
                let links = FieldLines.read(row[StoredAnswer.fields]).filter {
                    $0.name.lowercased() == HTTPField.Name.link.canonicalName
                }
                named.formUnion(
                    StoredAnswer.pagePaths(
                        row[StoredAnswer.target], links.map(\.value).joined(separator: ", ")))
                return .next
            }
        }
        return named
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

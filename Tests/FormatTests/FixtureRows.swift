import PatchbayCore

/// The rows of the files in `Fixtures`. Change nothing here after a release; its files must be readable for ever.
enum FixtureRows {
    static let people = CollectionSchema(
        "people", key: 0,
        indexes: [Index("by_login", .caseFolded(1), unique: true)],
        fields: [
            Field("id", .integer), Field("login", .text), Field("bio", .text, isOptional: true),
            Field("score", .real), Field("picture", .bytes, isOptional: true),
        ])
    static let notes = CollectionSchema(
        "notes", key: 0, indexes: [Index("by_person", .exact(1))],
        fields: [Field("title", .text), Field("person", .integer, isOptional: true)])
    static let schema = Schema(version: 1, [people, notes])

    private static let texts = [
        "", "O'Brien; DROP TABLE people --", "\"quoted\", \\ and | and %_*?", "two\nlines\r\nand a tab\t.",
        "naïve ß Ⅷ ŉ",
        "e\u{301} is not é", "👩‍👩‍👧 family", "\u{202E}right to left", "\u{FEFF}byte order mark",
        "control \u{1} \u{1B}[31m \u{7F}", "日本語", "last \u{10FFFF}", " spaces ", "null",
        "\u{2028}line separator",
        String(repeating: "long ", count: 800),
    ]

    /// Writes 200 people and 100 notes in several transactions, with changes and deletions among them.
    static func fill(_ storage: any Storage) async throws {
        try await storage.open(schema)
        for first in stride(from: 1 as Int64, through: 240, by: 40) {
            try await storage.write { writer in
                for id in first..<first + 40 { try putPerson(id, id == 3 ? "old" : text(id), writer) }
            }
        }
        try await storage.write { writer in
            for number in 1...100 as ClosedRange<Int64> { try putNote(number, writer) }
            for id in 201...240 as ClosedRange<Int64> { _ = try writer.delete(.integer(id), in: people) }
            try putPerson(3, text(3), writer)
        }
        try await storage.close()
    }

    private static func text(_ id: Int64) -> String? { id % 9 == 0 ? nil : texts[Int(id) % texts.count] }

    private static func putPerson(_ id: Int64, _ bio: String?, _ writer: any StorageWriter) throws {
        var builder = RowBuilder()
        builder.begin(people)
        builder.set(0, id == 200 ? .max : id == 199 ? -id : id)
        builder.set(1, "Person-\(id)-\(id % 2 == 0 ? "é" : "e\u{301}")")
        if let bio { builder.set(2, bio) }
        builder.set(
            3, id == 1 ? -0.0 : id == 2 ? .infinity : id == 4 ? .leastNonzeroMagnitude : Double(id % 7) / 3)
        if id % 5 == 0 {
            let bytes = (0..<id % 64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ id) }
            unsafe builder.set(4, bytes: bytes.span.bytes)
        }
        try writer.put(builder.finish(), in: people)
    }

    private static func putNote(_ number: Int64, _ writer: any StorageWriter) throws {
        var builder = RowBuilder()
        builder.begin(notes)
        builder.set(0, "\(number % 3)/\(texts[Int(number) % (texts.count - 1)])/\(number)")
        if number % 4 != 0 { builder.set(1, number) }
        try writer.put(builder.finish(), in: notes)
    }

    /// All rows in the order of their keys, one a line, with only printable ASCII.
    ///
    /// - Parameter people: the collection as the storage was opened with it; fields that it adds are left out.
    static func lines(_ storage: any Storage, people: CollectionSchema = people) async throws -> [String] {
        try await storage.read { reader in
            var lines: [String] = []
            for collection in [people, notes] {
                try reader.scan(Query(collection)) { row in
                    var values: [String] = []
                    let fields = (collection.name == "people" ? FixtureRows.people : notes).fields
                    for (position, field) in fields.enumerated() {
                        values.append(row.isNull(position) ? "null" : value(row, position, field.type))
                    }
                    lines.append("\(collection.name): " + values.joined(separator: " | "))
                    return .next
                }
            }
            return lines
        }
    }

    private static func value(_ row: borrowing RowView, _ position: Int, _ type: FieldType) -> String {
        switch type {
        case .integer: return "\(row.integer(position))"
        case .real: return "\(row.real(position))"
        case .text:
            let text = row.text(position).unicodeScalars.map { scalar in
                let isPlain = (0x20..<0x7F).contains(scalar.value) && !"\"\\|".unicodeScalars.contains(scalar)
                return isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            }
            return "\"\(text.joined())\""
        case .bytes:
            let bytes = unsafe row.bytes(position).withUnsafeBytes { unsafe Array($0) }
            return "#" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }
}

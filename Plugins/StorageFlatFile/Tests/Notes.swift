import PatchbayCore

/// Two small collections for the tests of the files.
enum Notes {
    static let notes = CollectionSchema(
        "notes", key: 0, indexes: [byTitle, bySlug],
        fields: [
            Field("id", .integer), Field("title", .text, isOptional: true), Field("slug", .text),
            Field("weight", .real, isOptional: true), Field("blob", .bytes, isOptional: true),
        ])
    static let byTitle = Index("by_title", .caseFolded(1))
    static let bySlug = Index("by_slug", .exact(2), unique: true)
    static let tags = CollectionSchema(
        "tags", key: 0, fields: [Field("name", .text), Field("count", .integer)])
    static let schema = Schema(version: 1, [notes, tags])

    struct Note: StoredRecord, Equatable {
        static var collection: CollectionSchema { Notes.notes }

        var id: Int64
        var title: String?
        var slug: String
        var weight: Double?
        var blob: [UInt8]?

        init(_ id: Int64, _ title: String? = nil, weight: Double? = nil, blob: [UInt8]? = nil) {
            self.id = id
            self.title = title
            self.slug = "slug-\(id)"
            self.weight = weight
            self.blob = blob
        }

        init(_ row: borrowing RowView) {
            id = row.integer(0)
            title = Optional<String>(row, at: 1)
            slug = row.text(2)
            weight = Optional<Double>(row, at: 3)
            blob = Optional<[UInt8]>(row, at: 4)
        }

        func write(to row: inout RowBuilder) {
            id.write(to: &row, at: 0)
            title.write(to: &row, at: 1)
            slug.write(to: &row, at: 2)
            weight.write(to: &row, at: 3)
            blob.write(to: &row, at: 4)
        }

        static func == (left: Note, right: Note) -> Bool {
            left.id == right.id && left.title.map { Array($0.utf8) } == right.title.map { Array($0.utf8) }
                && left.slug == right.slug && left.weight == right.weight && left.blob == right.blob
        }
    }

    struct Tag: StoredRecord, Equatable {
        static var collection: CollectionSchema { Notes.tags }

        var name: String
        var count: Int64

        init(_ name: String, _ count: Int64) { (self.name, self.count) = (name, count) }

        init(_ row: borrowing RowView) { (name, count) = (row.text(0), row.integer(1)) }

        func write(to row: inout RowBuilder) {
            name.write(to: &row, at: 0)
            count.write(to: &row, at: 1)
        }
    }

    /// The content of a storage, by every index.
    struct Content: Equatable {
        var notes: [Note] = []
        var byTitle: [Note] = []
        var bySlug: [Note] = []
        var tags: [Tag] = []
    }
}

extension Store {
    func content() async throws -> Notes.Content {
        try await read { reading in
            Notes.Content(
                notes: try reading.list(Notes.Note.self, Query(Notes.notes)),
                byTitle: try reading.list(Notes.Note.self, Query(Notes.notes, by: Notes.byTitle)),
                bySlug: try reading.list(Notes.Note.self, Query(Notes.notes, by: Notes.bySlug)),
                tags: try reading.list(Notes.Tag.self, Query(Notes.tags)))
        }
    }

    func put(_ notes: Notes.Note...) async throws {
        try await write { writing in for note in notes { try writing.put(note) } }
    }
}

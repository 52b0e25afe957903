import PatchbayCore

/// What stands in the target of a copy that is not finished: the only row of a collection of its own.
///
/// How far the copy is needs no note: rows come in the order of their keys, so the last one there says it.
struct CopyMark {
    /// What is copied, in the words of whoever started it.
    var source: String
    /// Whether all rows are there, so that only indexes are missing.
    var hasAllRows: Bool
}

extension CopyMark: Record {
    private static let key: Key = 1

    /// Stays in the target, empty, when the copy is done.
    static let collection = Collection(
        "copies", key: 0,
        fields: [Field("id", .integer), Field("source", .text), Field("has_all_rows", .integer)])

    init(_ row: borrowing Row) {
        self.init(source: row.text(1), hasAllRows: row.integer(2) != 0)
    }

    func write(to row: inout RowBuilder) {
        row.set(0, 1 as Int64)
        row.set(1, source)
        row.set(2, hasAllRows ? 1 : 0 as Int64)
    }

    /// The mark of a storage that was opened with its collection.
    static func read(_ storage: any Storage) async throws -> CopyMark? {
        try await storage.read { reader in
            var mark: CopyMark?
            _ = try reader.get(key, in: collection) { mark = CopyMark($0) }
            return mark
        }
    }

    func save(_ storage: any Storage) async throws {
        try await storage.write { writer in
            var builder = RowBuilder()
            builder.begin(CopyMark.collection)
            write(to: &builder)
            try writer.put(builder.finish(), in: CopyMark.collection)
        }
    }

    static func remove(_ storage: any Storage) async throws {
        try await storage.write { _ = try $0.delete(key, in: collection) }
    }
}

extension Schema {
    /// The schema with the place for the mark of an unfinished copy.
    var withCopyMark: Schema { Schema(version: version, collections + [CopyMark.collection]) }
}

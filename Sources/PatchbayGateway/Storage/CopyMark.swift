package import PatchbayCore
import PatchbayDomain

/// The row in which a copy records its source and its state, in a collection of its own in the target.
///
/// It contains no position while rows are copied, because rows are copied in the order of their keys: the copy resumes
/// after the last row in the target.
struct CopyMark {
    enum State: String {
        /// Some rows and all indexes are missing.
        case copying
        /// All rows are copied; indexes may be missing.
        case indexing
        case finished
    }

    /// The caller's name for the source.
    var source: String
    var state: State
    /// The content of the source; empty until all rows are copied.
    var contents: [CollectionContent] = []

    /// The error for a use of the storage before the copy is finished.
    var refusal: PatchbayError {
        PatchbayError(
            .conflict,
            "this storage is an unfinished copy of \(source); run the copy again to finish it, or remove it")
    }
}

/// The number of rows in a collection, and their digest.
struct CollectionContent: Hashable {
    var name: String
    var rows: Int
    /// ``ContentDigest/description``.
    var digest: String

    init(_ collection: CollectionSchema, _ digest: ContentDigest) {
        name = collection.name
        rows = digest.rows
        self.digest = digest.description
    }

    /// Parses a line written by ``line``; nil for any other text.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 3, let rows = Int(words[1]) else { return nil }
        (name, self.rows, digest) = (String(words[0]), rows, String(words[2]))
    }

    /// The content as one line. Its parts can be separated by spaces because no collection name contains one.
    var line: String { "\(name) \(rows) \(digest)" }
}

extension CopyMark: StoredRecord {
    private static let key: Key = 1

    static let collection = CollectionSchema(
        "patchbay_copies", key: 0,
        fields: [
            Field("id", .integer), Field("source", .text), Field("state", .text), Field("contents", .text),
        ])

    init(_ row: borrowing RowView) {
        // An unknown state resumes the copy, which compares every row.
        self.init(
            source: row.text(1), state: State(rawValue: row.text(2)) ?? .copying,
            contents: row.text(3).split(separator: "\n").compactMap { CollectionContent(line: $0) })
    }

    func write(to row: inout RowBuilder) {
        row.set(0, 1 as Int64)
        row.set(1, source)
        row.set(2, state.rawValue)
        row.set(3, contents.map(\.line).joined(separator: "\n"))
    }

    /// The mark of an open storage whose schema is `schema`; nil when the storage is not a copy.
    static func read(_ storage: any Storage, _ schema: Schema) async throws -> CopyMark? {
        guard schema.collections.contains(collection) else { return nil }
        return try await storage.read { reader in
            var mark: CopyMark?
            _ = try reader.get(key, in: collection) { mark = CopyMark($0) }
            return mark
        }
    }

    func save(_ storage: any Storage) async throws {
        try await storage.write { try save($0) }
    }

    func save(_ writer: any StorageWriter) throws {
        var builder = RowBuilder()
        builder.begin(CopyMark.collection)
        write(to: &builder)
        try writer.put(builder.finish(), in: CopyMark.collection)
    }
}

extension Schema {
    /// The schema with the collection of a copy's mark.
    var withCopyMark: Schema { adding([CopyMark.collection]) }

    /// The collections that another storage may have as well, in the order of their names: all except the one in which
    /// a copy records its state, and those with the storage's incarnations and the clearings of its rows.
    package var transferable: Schema {
        let own = [CopyMark.collection.name, Incarnation.collection.name, StoredClearing.collection.name]
        return Schema(
            version: version, collections.filter { !own.contains($0.name) }.sorted { $0.name < $1.name })
    }
}

extension Store {
    /// The name of the storage that this one is an unfinished copy of; nil when it is not an unfinished copy.
    package func unfinishedCopy() async throws -> String? { try await unfinishedMark()?.source }

    /// Checks that the storage is not an unfinished copy.
    ///
    /// - Throws: `conflict` when it is an unfinished copy.
    package func requireFinishedCopy() async throws {
        if let mark = try await unfinishedMark() { throw mark.refusal }
    }

    private func unfinishedMark() async throws -> CopyMark? {
        let mark = try await CopyMark.read(storage, schema)
        return mark?.state == .finished ? nil : mark
    }
}

public import PatchbayCore

/// The row that a copy keeps in its target, in a collection of its own: what is copied, and how far the copy is.
///
/// While rows are copied it needs no position: rows come in the order of their keys, so the last one in the target is
/// where the copy resumes.
struct CopyMark {
    enum State: String {
        /// Rows are missing, and all indexes.
        case copying
        /// All rows are there; indexes may be missing.
        case indexing
        case finished
    }

    /// What is copied, in the words of the caller.
    var source: String
    var state: State
    /// What the source held; empty until all rows are there.
    var contents: [CollectionContent] = []

    /// The error for a use of the storage before the copy is finished.
    var refusal: PatchbayError {
        PatchbayError(
            .conflict,
            "this storage is an unfinished copy of \(source); run the copy again to finish it, or remove it")
    }
}

/// How many rows a collection holds, and their digest.
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

    /// Reads a line that ``line`` wrote; nil when the text is another one.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 3, let rows = Int(words[1]) else { return nil }
        (name, self.rows, digest) = (String(words[0]), rows, String(words[2]))
    }

    /// The content as text, which holds no line break: no name of a collection has a space.
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
        // With a state that nobody wrote the copy resumes, which compares every row.
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

    /// The mark of an open storage that holds `schema`; nil when the storage is not a copy.
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
    /// The schema with the collection that a copy's mark is in.
    var withCopyMark: Schema { adding([CopyMark.collection]) }

    /// The collections that programs keep rows in, in the order of their names: all but the one in which a copy of a
    /// storage notes its state.
    public var withoutCopyMark: Schema {
        let others = collections.filter { $0 != CopyMark.collection }
        return Schema(version: version, others.sorted { $0.name < $1.name })
    }
}

extension Store {
    /// The name of what this storage is an unfinished copy of; nil when it is not an unfinished copy.
    public func unfinishedCopy() async throws -> String? {
        guard let mark = try await CopyMark.read(storage, schema), mark.state != .finished else { return nil }
        return mark.source
    }

    /// Checks that the storage holds all rows of what it is a copy of.
    ///
    /// - Throws: `conflict` when it is an unfinished copy.
    public func requireFinishedCopy() async throws {
        guard let mark = try await CopyMark.read(storage, schema), mark.state != .finished else { return }
        throw mark.refusal
    }
}

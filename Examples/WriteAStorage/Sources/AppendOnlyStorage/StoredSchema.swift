import Patchbay

/// The schema under which a file was written: that of its last schema frame, which contains every collection.
struct StoredSchema {
    let schema: Schema
    private let path: String

    /// - Throws: `corrupted` when the file contains no schema.
    init(_ file: [UInt8], _ path: String) throws {
        var last: Change?
        _ = try Changes(path).forEach(in: file) { if $0.kind == .schema { last = $0 } }
        let lines = String(decoding: last?.bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
        let collections = lines.dropFirst().compactMap { CollectionSchema(definition: $0) }
        guard let version = lines.first.flatMap({ Int($0) }), collections.count == lines.count - 1 else {
            throw Changes(path).damaged(at: last?.position ?? JournalFile.header.count)
        }
        schema = Schema(version: version, collections)
        self.path = path
    }

    /// Whether the schema has changed and must be written.
    ///
    /// - Throws: `unsupported` when the wanted schema is older, or cannot read the stored rows.
    func differs(from wanted: Schema) throws -> Bool {
        guard schema.version <= wanted.version else {
            throw PatchbayError(
                .unsupported,
                "\"\(path)\" has schema \(schema.version), but this program supports up to \(wanted.version); "
                    + "use a newer one")
        }
        var differs = schema.version != wanted.version
        for collection in wanted.collections {
            let stored = schema.collections.first { $0.name == collection.name }
            if try stored.map({ try collection.migration(from: $0).isEmpty }) != true { differs = true }
        }
        return differs
    }
}

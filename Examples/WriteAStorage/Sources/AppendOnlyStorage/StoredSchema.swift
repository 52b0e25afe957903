import Patchbay

/// The schema that a file was written under: that of its last frame of that kind, which names every collection.
struct StoredSchema {
    let schema: Schema
    private let path: String

    /// - Throws: `corrupted` when there is none.
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

    /// Whether another schema has to be written down.
    ///
    /// - Throws: `unsupported` when it is older, or the rows cannot be read under it.
    func differs(from wanted: Schema) throws -> Bool {
        guard schema.version <= wanted.version else {
            throw PatchbayError(
                .unsupported,
                "\"\(path)\" has schema \(schema.version), and this program knows up to \(wanted.version); "
                    + "use a newer one")
        }
        var differs = schema.version != wanted.version
        for collection in wanted.collections {
            let stored = schema.collections.first { $0.name == collection.name }
            if try stored.map({ try collection.migration(from: $0).isNothing }) != true { differs = true }
        }
        return differs
    }
}

import PatchbayCore
import PatchbayJSON

/// The content of `schema.json`: the schema's version and the declared collections.
///
///     {"format":1,"version":3,"collections":["users(id integer, ...)"],"_crc":"0a1b2c3d"}
enum SchemaFile {
    static let format = 1

    static func write(_ schema: Schema, in folder: Folder, isSynced: Bool) throws {
        let json = JSONValue.object([
            ("format", .number(String(SchemaFile.format))), ("version", .number(String(schema.version))),
            ("collections", .array(schema.collections.map { .text($0.definition) })),
        ])
        try folder.replace(FileName.schema, with: SealedFile.content(json), isSynced: isSynced)
    }

    /// - Parameter known: the schema that the file nearly always has.
    /// - Throws: `corrupted` when it is damaged, `unsupported` when a newer version wrote it.
    static func read(in folder: Folder, expecting known: Schema? = nil) throws -> Schema {
        let path = folder.path(FileName.schema), json = try SealedFile.read(FileName.schema, in: folder)
        if let format: Int = json?.number("format"), format != SchemaFile.format {
            throw PatchbayError(
                .unsupported,
                "\"\(folder.path)\" has format \(format), but this version reads only \(SchemaFile.format); "
                    + "use a newer one")
        }
        guard let json, json["format"] != nil, let version: Int = json.number("version"),
            let definitions = json["collections"]?.elements.map(\.word),
            case let collections = definitions.compactMap({
                CollectionSchema.stored($0 ?? "", known: known?.collections ?? [])
            }),
            Set(collections.map(\.name)).count == definitions.count
        else {
            throw PatchbayError(
                .corrupted, "\"\(path)\" was edited or damaged; restore it from a copy",
                [.file(path), .byte(0)])
        }
        return Schema(version: version, collections)
    }
}

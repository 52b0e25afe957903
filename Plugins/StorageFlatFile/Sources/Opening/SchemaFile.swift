import PatchbayCore
import PatchbayJSON

/// The content of `schema.json`: the schema's version and the declared collections.
///
///     {"format":1,"version":3,"collections":["users(id integer, ...)"],"_crc":"0a1b2c3d"}
struct SchemaFile {
    static let format: Int64 = 1

    var version: Int
    var collections: [CollectionSchema]

    func write(in folder: Folder, isSynced: Bool) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("format")
        writer.integer(SchemaFile.format)
        writer.key("version")
        writer.integer(Int64(version))
        writer.key("collections")
        writer.beginArray()
        for collection in collections { writer.string(collection.definition) }
        writer.endArray()
        try SealedFile.write(writer.bytes, FileName.schema, in: folder, isSynced: isSynced)
    }

    /// - Throws: `corrupted` when it is damaged, `unsupported` when a newer version wrote it.
    static func read(in folder: Folder) throws -> SchemaFile {
        let path = folder.path(FileName.schema)
        guard let bytes = try SealedFile.read(FileName.schema, in: folder),
            let file = try SchemaFile(bytes, folder.path)
        else {
            throw PatchbayError(
                .corrupted, "\"\(path)\" was edited or damaged; restore it from a copy",
                ["file": path, "byte": "0"])
        }
        return file
    }

    /// Fails when the content is not the output of ``write(in:isSynced:)``.
    private init?(_ content: ByteBuffer, _ path: String) throws {
        var format: Int64 = 0, definitions: [String] = []
        version = 0
        collections = []
        let isRead = content.withBytes { bytes in
            (try? Self.read(bytes, &format, &version, &definitions)) != nil
        }
        guard isRead else { return nil }
        guard format == SchemaFile.format else {
            throw PatchbayError(
                .unsupported,
                "\"\(path)\" has format \(format), but this version reads only \(SchemaFile.format); "
                    + "use a newer one")
        }
        collections = definitions.compactMap { CollectionSchema(definition: $0) }
        guard collections.count == definitions.count,
            Set(collections.map(\.name)).count == definitions.count
        else { return nil }
    }

    init(version: Int, collections: [CollectionSchema]) {
        self.version = version
        self.collections = collections
    }

    private static func read(
        _ bytes: RawSpan, _ format: inout Int64, _ version: inout Int, _ definitions: inout [String]
    ) throws {
        var reader = JSONReader(bytes)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "format" {
                format = try reader.readInteger()
            } else if key == "version" {
                version = Int(try reader.readInteger())
            } else if key == "collections" {
                try reader.beginArray()
                while try reader.nextElement() { definitions.append(try reader.readString()) }
            } else {
                try reader.skipValue()
            }
        }
        try reader.finish()
    }
}

import PatchbayCore
import PatchbayJSON

/// What `schema.json` says: the schema's version and the collections as they were declared.
///
///     {"format":1,"version":3,"collections":["users(id integer, ...)"],"_crc":"0a1b2c3d"}
struct SchemaFile {
    static let format: Int64 = 1

    var version: Int
    var collections: [Collection]

    func write(_ layout: FolderLayout, isSynced: Bool, _ disk: Disk) throws {
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
        try SealedFile.write(writer.bytes, layout.schema, layout, isSynced: isSynced, disk)
    }

    /// - Throws: `corrupted` when it is damaged, `unsupported` when a newer version wrote it.
    static func read(_ layout: FolderLayout, _ disk: Disk) throws -> SchemaFile {
        guard let bytes = try SealedFile.read(layout.schema, disk), let file = try SchemaFile(bytes, layout) else {
            throw PatchbayError(
                .corrupted, "\"\(layout.schema)\" was edited or damaged; restore it from a copy",
                ["file": layout.schema, "byte": "0"])
        }
        return file
    }

    /// Nil when the content is not what ``write(_:isSynced:_:)`` wrote.
    private init?(_ content: ByteBuffer, _ layout: FolderLayout) throws {
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
                "\"\(layout.path)\" has the format \(format), this version reads \(SchemaFile.format); "
                    + "use a newer version")
        }
        collections = definitions.compactMap { Collection(definition: $0) }
        guard collections.count == definitions.count else { return nil }
    }

    init(version: Int, collections: [Collection]) {
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

/// A small file that is one object on one line, with the checksum of a line that stands at the start of a file.
enum SealedFile {
    /// - Parameter object: a JSON object without its closing brace.
    static func write(
        _ object: [UInt8], _ path: String, _ layout: FolderLayout, isSynced: Bool, _ disk: Disk
    ) throws {
        let buffer = ByteBuffer(capacity: object.count + Line.trailerBytes)
        buffer.append(object)
        Line.seal(buffer, from: 0, at: 0, generation: 0)
        try layout.replace(path, with: buffer, isSynced: isSynced, disk)
    }

    /// The content of a file; nil when the checksum does not fit.
    static func read(_ path: String, _ disk: Disk) throws -> ByteBuffer? {
        let file = try DiskFile(path, .read, disk)
        let byteCount = try file.byteCount()
        guard byteCount > Line.trailerBytes, byteCount < Line.byteCountMax else { return nil }
        let buffer = ByteBuffer(capacity: byteCount)
        buffer.count = try file.read(byteCount, at: 0, into: buffer.base)
        guard buffer.count == byteCount, Line.isSound(buffer.base, byteCount, at: 0, generation: 0) else { return nil }
        return buffer
    }
}

import PatchbayCore
import PatchbayJSON
import PatchbaySystem

/// The data file of a collection: a header line, then lines that are only ever appended.
///
///     {"_patchbay":1,"_collection":"users","_generation":"9f3c5a6677881122","_base":0,"_crc":"0a1b2c3d"}
///
/// A rewritten file is a new generation. Its base is the last transaction whose rows it was made from.
final class Log: Sendable {
    static let format = 1
    static let cleared: StaticString = "{\"_cleared\":true"

    let file: DiskFile
    let collectionName: String
    let generation: UInt64
    let base: UInt64
    let headerBytes: Int

    private init(
        _ file: DiskFile, _ collectionName: String, generation: UInt64, base: UInt64, headerBytes: Int
    ) {
        self.file = file
        self.collectionName = collectionName
        self.generation = generation
        self.base = base
        self.headerBytes = headerBytes
    }

    private static func header(_ collectionName: String, _ generation: UInt64, _ base: UInt64) -> ByteBuffer {
        let digits = String(generation, radix: 16)
        return SealedFile.content(
            .object([
                ("_patchbay", .number(String(format))), ("_collection", .text(collectionName)),
                ("_generation", .text(String(repeating: "0", count: 16 - digits.utf8.count) + digits)),
                ("_base", .number(String(base))),
            ]))
    }

    /// Creates a file with its header; neither its name nor its content is certainly on the disk yet.
    ///
    /// Its name ends with ``FileName/unfinished`` until it is complete.
    static func create(_ collectionName: String, in folder: Folder, base: UInt64) throws -> Log {
        let generation = UInt64.random(in: 1 ... .max), header = header(collectionName, generation, base)
        let name = FileName.data(collectionName)
        let file = try folder.open(name + FileName.unfinished, .creating, becoming: name)
        try header.withBytes { try file.write($0, at: 0) }
        return Log(file, collectionName, generation: generation, base: base, headerBytes: header.count)
    }

    /// Opens a file by its header.
    ///
    /// - Throws: `corrupted` when the header is not sound or names another collection.
    static func open(_ collectionName: String, in folder: Folder, _ access: OpenFile.Access) throws -> Log {
        let name = FileName.data(collectionName), path = folder.path(name)
        let file: DiskFile
        do {
            file = try folder.open(name, access)
        } catch let error as PatchbayError where error.code == .notFound {
            throw PatchbayError(
                .corrupted, "\"\(path)\" is missing; restore it from a copy", [.file(path), .byte(0)])
        }
        let line = ByteBuffer()
        line.count = try unsafe file.read(min(line.capacity, file.openedBytes), at: 0, into: line.base)
        line.count = line.offset(of: 0x0A, from: 0).map { $0 + 1 } ?? 0
        guard let json = SealedFile.object(line), json["_collection"]?.word == collectionName,
            let format: Int = json.number("_patchbay"), let base = json.transaction("_base"),
            let generation = json["_generation"]?.word.flatMap({ UInt64($0, radix: 16) }), generation != 0
        else {
            throw PatchbayError(
                .corrupted,
                "\"\(path)\" does not start with the header of the collection \(collectionName): "
                    + "it was changed or damaged; restore it from a copy",
                [.file(path), .byte(0)])
        }
        guard format == Log.format else {
            throw PatchbayError(
                .unsupported,
                "\"\(path)\" has format \(format), but this version reads only \(Log.format); use a newer one"
            )
        }
        return Log(file, collectionName, generation: generation, base: base, headerBytes: line.count)
    }

    /// Whether the first line on the disk is still the header that the file was opened with.
    func hasSoundHeader() throws -> Bool {
        let header = Log.header(collectionName, generation, base)
        return try file.read(headerBytes, at: 0)?.copyBytes() == header.copyBytes()
    }

    /// The error for a line that was changed since it was written.
    func damaged(at offset: Int) -> PatchbayError {
        PatchbayError(
            .corrupted,
            "the line at byte \(offset) of \"\(file.path)\" was edited or damaged; "
                + "restore the file from a copy",
            [.file(file.path), .byte(offset)])
    }
}

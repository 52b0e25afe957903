import PatchbayCore
import PatchbayJSON

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

    private init(_ file: DiskFile, _ header: Header, headerBytes: Int) {
        self.file = file
        self.headerBytes = headerBytes
        collectionName = header.collection
        generation = header.generation
        base = header.base
    }

    /// Creates a file with its header; neither its name nor its content is certainly on the disk yet.
    ///
    /// Its name ends with ``FileName/unfinished`` until it is complete.
    static func create(_ collectionName: String, in folder: Folder, base: UInt64) throws -> Log {
        let header = Header(collection: collectionName, generation: .random(in: 1 ... .max), base: base)
        let buffer = ByteBuffer()
        header.write(to: buffer)
        let name = FileName.data(collectionName)
        let file = try folder.open(name + FileName.unfinished, .create, becoming: name)
        try buffer.withBytes { try file.write($0, at: 0) }
        return Log(file, header, headerBytes: buffer.count)
    }

    /// Opens a file by its header.
    ///
    /// - Throws: `corrupted` when the header is not sound or names another collection.
    static func open(_ collectionName: String, in folder: Folder, _ access: DiskFile.Access) throws -> Log {
        let name = FileName.data(collectionName), path = folder.path(name)
        guard try folder.kind(name) != nil else {
            throw PatchbayError(
                .corrupted, "\"\(path)\" is missing; restore it from a copy", [.file(path), .byte(0)])
        }
        let file = try folder.open(name, access)
        let buffer = ByteBuffer()
        buffer.count = try unsafe file.read(
            min(buffer.capacity, try file.byteCount()), at: 0, into: buffer.base)
        guard let (header, headerBytes) = Header.read(buffer), header.collection == collectionName else {
            throw PatchbayError(
                .corrupted,
                "\"\(path)\" does not start with the header of the collection \(collectionName): "
                    + "it was changed or damaged; restore it from a copy",
                [.file(path), .byte(0)])
        }
        guard header.format == Log.format else {
            throw PatchbayError(
                .unsupported,
                "\"\(path)\" has format \(header.format), but this version reads only \(Log.format); use a newer one"
            )
        }
        return Log(file, header, headerBytes: headerBytes)
    }

    /// Whether the first line on the disk is still the header that the file was opened with.
    func hasSoundHeader() throws -> Bool {
        let buffer = ByteBuffer()
        buffer.count = try unsafe file.read(headerBytes, at: 0, into: buffer.base)
        guard let (header, length) = Header.read(buffer) else { return false }
        return header.generation == generation && header.base == base && length == headerBytes
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

extension Log {
    /// The first line.
    private struct Header {
        var format = Log.format
        var collection = ""
        var generation: UInt64 = 0
        var base: UInt64 = 0

        func write(to buffer: ByteBuffer) {
            let digits = String(generation, radix: 16)
            let padded = String(repeating: "0", count: 16 - digits.utf8.count) + digits
            let text =
                "{\"_patchbay\":\(format),\"_collection\":\"\(collection)\",\"_generation\":\"\(padded)\""
            buffer.append(Array((text + ",\"_base\":\(base)").utf8))
            Line.seal(buffer, from: 0, at: 0, generation: 0)
        }

        /// The header at the start of the buffer, and its length; nil when it is missing or damaged.
        static func read(_ buffer: ByteBuffer) -> (Header, Int)? {
            guard let length = buffer.offset(of: 0x0A, from: 0).map({ $0 + 1 }),
                unsafe Line.isSound(buffer.base, length, at: 0, generation: 0)
            else { return nil }
            buffer.count = length
            // A header that cannot be parsed counts as missing, which the caller reports.
            guard let json = try? JSONValue(buffer.copyBytes()), let format: Int = json.number("_patchbay"),
                let collection = json["_collection"]?.word, let base: UInt64 = json.number("_base"),
                let generation = json["_generation"]?.word.flatMap({ UInt64($0, radix: 16) }), generation != 0
            else { return nil }
            let header = Header(format: format, collection: collection, generation: generation, base: base)
            return (header, length)
        }
    }
}

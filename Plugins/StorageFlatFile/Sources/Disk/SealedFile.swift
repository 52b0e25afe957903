import PatchbayCore

/// A small file of one JSON object on one line, with the checksum that a line at the start of a data file has.
enum SealedFile {
    /// - Parameter object: a JSON object without its closing brace.
    static func write(_ object: [UInt8], _ name: String, in folder: Folder, isSynced: Bool) throws {
        let buffer = ByteBuffer(capacity: object.count + Line.trailerBytes)
        buffer.append(object)
        Line.seal(buffer, from: 0, at: 0, generation: 0)
        try folder.replace(name, with: buffer, isSynced: isSynced)
    }

    /// The content of a file; nil when the checksum does not match.
    static func read(_ name: String, in folder: Folder) throws -> ByteBuffer? {
        let file = try folder.open(name, .read)
        let byteCount = try file.byteCount()
        guard byteCount > Line.trailerBytes, byteCount < Line.byteCountMax else { return nil }
        let buffer = ByteBuffer(capacity: byteCount)
        buffer.count = try file.read(byteCount, at: 0, into: buffer.base)
        guard buffer.count == byteCount, Line.isSound(buffer.base, byteCount, at: 0, generation: 0) else {
            return nil
        }
        return buffer
    }
}

import PatchbayCore
import PatchbayJSON
import PatchbaySystem

/// One JSON object on the first line of a file, with its checksum: a small file, or the header of a data file.
enum SealedFile {
    static func content(_ object: JSONValue) -> ByteBuffer {
        let buffer = ByteBuffer()
        buffer.append(Array(object.line.dropLast()))
        Line.seal(buffer, from: 0, at: 0, generation: 0)
        return buffer
    }

    /// The bytes of a file; nil when they are too few or too many.
    static func bytes(_ name: String, in folder: Folder) throws -> ByteBuffer? {
        let file = try folder.open(name, .reading)
        let byteCount = file.openedBytes
        guard byteCount > Line.trailerBytes, byteCount < Line.byteCountMax else { return nil }
        return try file.read(byteCount, at: 0)
    }

    /// The content of a file; nil when it is damaged.
    static func read(_ name: String, in folder: Folder) throws -> JSONValue? {
        try bytes(name, in: folder).flatMap(object)
    }

    /// The object on a line; nil when it is damaged.
    static func object(_ line: ByteBuffer) -> JSONValue? {
        guard unsafe Line.isSound(line.base, line.count, at: 0, generation: 0) else { return nil }
        // A content that cannot be parsed counts as damaged, which the caller reports.
        return try? JSONValue(line.copyBytes())
    }
}

extension JSONValue {
    /// The integer member with a name; nil when there is none, or it does not fit.
    func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        self[name]?.word.flatMap { Number($0) }
    }

    /// The number of a transaction with a name; nil when it is so large that it leaves no room for later ones.
    func transaction(_ name: String) -> UInt64? {
        number(name).flatMap { (number: Int) in UInt64(exactly: number) }
    }
}

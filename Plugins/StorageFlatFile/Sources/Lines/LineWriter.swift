// Unsafe: a character's first byte is loaded without a type check. It holds because any byte is a valid UInt8.

import PatchbayCore
import PatchbayJSON

/// Writes rows as lines, without their trailers.
final class LineWriter {
    private let layout: LineLayout
    private var escaper = JSONWriter()

    init(_ layout: LineLayout) { self.layout = layout }

    /// Appends the row's members.
    ///
    /// - Throws: `invalidValue` when a text is not UTF-8, which JSON cannot represent; the buffer is then unchanged.
    func write(_ row: borrowing RowView, to buffer: ByteBuffer) throws {
        let start = buffer.count
        do {
            try write(row, .all, to: buffer)
        } catch {
            buffer.count = start
            throw error
        }
    }

    /// Appends the line that deletes the row with this row's key.
    func writeDeletion(of row: borrowing RowView, to buffer: ByteBuffer) throws {
        try write(row, layout.keyFields, to: buffer)
        buffer.append(",\"_deleted\":true")
    }

    private func write(_ row: borrowing RowView, _ fields: FieldSet, to buffer: ByteBuffer) throws {
        let members = layout.members, nameBytes = layout.names, names = nameBytes.span.bytes
        var separator = UInt8(ascii: "{")
        for position in members.indices {
            guard fields.contains(position: position), !row.isNull(position) else { continue }
            let member = members[position]
            buffer.append(separator, names, member.start, member.count)
            separator = UInt8(ascii: ",")
            switch member.type {
            case .integer: buffer.append(integer: row.integer(position))
            case .real: append(row.real(position), to: buffer)
            case .text: try append(text: row.bytes(position), position, to: buffer)
            case .bytes: append(base64: row.bytes(position), to: buffer)
            }
        }
    }

    private func append(_ value: Double, to buffer: ByteBuffer) {
        guard value.isFinite else { return buffer.append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"") }
        buffer.append(Array(value.description.utf8))
    }

    private func append(text: RawSpan, _ position: Int, to buffer: ByteBuffer) throws {
        buffer.append(UInt8(ascii: "\""))
        var at = buffer.append(plain: text, from: 0)
        while at < text.byteCount {
            at += try append(character: text, at, position, to: buffer)
            at += buffer.append(plain: text, from: at)
        }
        buffer.append(UInt8(ascii: "\""))
    }

    /// Appends the character at an offset and returns its length in the text, in bytes.
    private func append(
        character text: RawSpan, _ at: Int, _ position: Int, to buffer: ByteBuffer
    ) throws -> Int {
        let count = text.lengthOfUTF8Sequence(at: at)
        guard count > 0 else {
            let name = "\(layout.collection.name).\(layout.collection.fields[position].name)"
            throw PatchbayError(.invalidValue, "\(name) is not valid UTF-8; store it as bytes or convert it")
        }
        let character = text.extracting(at..<(at + count))
        switch (count, character.unsafeLoad(as: UInt8.self)) {
        case (1, 0x22): buffer.append("\\\"")
        case (1, 0x5C): buffer.append("\\\\")
        case (2, 0xC3...), (3, 0xE0...0xE1), (3, 0xE3...), (4, _): buffer.append(character)
        default:
            // A control character, or one in the range of the line separators. The JSON writer knows which are escaped.
            escaper.reset()
            escaper.string(utf8: character)
            let escaped = escaper.bytes
            buffer.append(escaped.span.bytes.extracting(1..<(escaped.count - 1)))
        }
        return count
    }

    private func append(base64 bytes: RawSpan, to buffer: ByteBuffer) {
        var letters = [UInt8(ascii: "\"")]
        Base64.append(bytes, to: &letters)
        letters.append(UInt8(ascii: "\""))
        letters.withUnsafeBytes { buffer.append($0) }
    }
}

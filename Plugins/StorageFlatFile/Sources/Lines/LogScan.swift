// Unsafe: lines by address in the scan's own buffer. It holds because lines are found only inside the bytes that were
// read.

import PatchbayCore
import PatchbayJSON

/// Reads a data file from one end to the other, line by line, in bounded memory.
final class LogScan {
    enum Kind { case row, cleared, commit(CommitMark), damaged }

    let log: Log
    private let end: Int
    private let buffer: ByteBuffer
    /// The offset of the buffer's first byte in the file.
    private var bufferOffset: Int
    private var consumed = 0
    /// The line that ``next()`` found.
    private(set) var place: Place

    /// - Parameter offset: the start of a line.
    init(_ log: Log, from offset: Int, to end: Int) {
        self.log = log
        self.end = end
        bufferOffset = offset
        // Opening reads the ends of all files at the same time, and most are short.
        buffer = ByteBuffer(capacity: min(1 << 20, max(end - offset, 0)))
        place = Place(offset: offset, length: 0)
    }

    /// The bytes of the line, followed by slack.
    var line: UnsafeRawPointer { unsafe UnsafeRawPointer(buffer.base + (place.offset - bufferOffset)) }

    /// Moves to the next line and returns its kind; nil at the end.
    func next() throws -> Kind? {
        guard let length = try lineLength() else { return nil }
        place = Place(offset: bufferOffset + consumed, length: length)
        consumed += length
        guard unsafe Line.isSound(line, length, at: place.offset, generation: log.generation) else {
            return .damaged
        }
        guard unsafe (line + 1).loadUnaligned(as: UInt16.self) == 0x5F22 else { return .row }
        let bytes = unsafe UnsafeRawBufferPointer(start: line, count: length)
        // A line that is neither a row nor readable was damaged before its checksum was computed.
        guard let json = unsafe try? JSONValue([UInt8](bytes)) else { return .damaged }
        if let mark = CommitMark(json) { return .commit(mark) }
        return json["_cleared"] == nil ? .damaged : .cleared
    }

    /// The error for the line, which was changed since it was written.
    var damaged: PatchbayError { log.damaged(at: place.offset) }

    /// Reads the line, which is a row or a deletion, into scratch memory.
    ///
    /// - Throws: `corrupted` when it is neither.
    func parseRow(_ layout: LineLayout, _ scratch: Scratch) throws -> LineParser.Outcome {
        let outcome = unsafe LineParser.parse(line, place.length, layout, .all, into: scratch.row)
        if outcome == .malformed { throw damaged }
        return outcome
    }

    /// The length of the line at the read position; nil at the end. A line without a newline extends to the end.
    private func lineLength() throws -> Int? {
        var searched = 0
        while true {
            if let newline = buffer.offset(of: 0x0A, from: consumed + searched) {
                return newline - consumed + 1
            }
            searched = buffer.count - consumed
            let isTooLong = searched > Line.byteCountMax
            if isTooLong || bufferOffset + buffer.count >= end { return searched > 0 ? searched : nil }
            try readMore()
        }
    }

    private func readMore() throws {
        bufferOffset += consumed
        buffer.removeFirst(consumed)
        consumed = 0
        buffer.reserve(1)
        let wanted = min(max(buffer.capacity - buffer.count, 1 << 16), end - bufferOffset - buffer.count)
        buffer.reserve(wanted)
        let count = try unsafe log.file.read(
            wanted, at: bufferOffset + buffer.count, into: buffer.base + buffer.count)
        guard count == wanted else {
            throw PatchbayError(
                .corrupted,
                "\"\(log.file.path)\" was truncated while it was being read; restore it from a copy",
                [.file(log.file.path), .byte(bufferOffset + buffer.count + count)])
        }
        buffer.count += count
    }
}

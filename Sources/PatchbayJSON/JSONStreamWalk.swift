/// Reads JSON that is too large for memory, such as a file, one value at a time.
///
/// Its methods correspond to those of `JSONReader`. A value that was taken is checked when ``value`` is read, or by
/// ``skipValue()``.
package struct JSONStreamWalk: ~Copyable {
    /// The number of bytes read at once.
    private static let chunkBytes = 1 << 16

    private let source: (_ bytesMax: Int) throws -> [UInt8]
    private let valueBytesMax: Int
    /// The bytes of the stream from `windowOffset`, and the index of the next one among them.
    private var window: [UInt8] = []
    private var windowOffset = 0
    private var next = 0
    /// The index of the first byte that is still needed: the start of the current value.
    private var kept = 0
    private var isAtFirst = false

    /// The number of line feeds between values so far.
    package private(set) var lineFeeds = 0

    /// - Parameters:
    ///   - valueBytesMax: the maximum size of a value.
    ///   - read: returns the next bytes of the stream, at most the given number; empty at its end.
    package init(valueBytesMax: Int, read: @escaping (_ bytesMax: Int) throws -> [UInt8]) throws {
        source = read
        self.valueBytesMax = valueBytesMax
        try skipByteOrderMark()
    }

    /// The number of bytes before the next one.
    package var offset: Int { windowOffset + next }

    /// The next byte that is not white space, or nil at the end of the stream.
    package mutating func peek() throws -> UInt8? {
        while true {
            kept = next
            guard try fill() else { return nil }
            let byte = window[next]
            guard byte == 0x20 || (0x09...0x0D).contains(byte) else { return byte }
            if byte == 0x0A { lineFeeds += 1 }
            next += 1
        }
    }

    /// Checks that the stream has ended.
    package mutating func finish() throws {
        if try peek() != nil { throw JSONStreamFault.malformed("expected the end of the text", at: offset) }
    }

    private mutating func skipByteOrderMark() throws {
        while window.count < 3, try grow() {}
        if window.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
    }

    /// Reads more when all bytes were consumed; false at the end of the stream.
    private mutating func fill() throws -> Bool {
        if next < window.count { return true }
        return try grow()
    }

    /// Reads a chunk; false at the end of the stream.
    private mutating func grow() throws -> Bool {
        let chunk = try source(Self.chunkBytes)
        guard !chunk.isEmpty else { return false }
        window.removeFirst(kept)
        windowOffset += kept
        next -= kept
        kept = 0
        window.append(contentsOf: chunk)
        return true
    }
}

// MARK: - Containers

extension JSONStreamWalk {
    /// Enters an object or array whose opening bracket was peeked.
    package mutating func enter() {
        next += 1
        isAtFirst = true
    }

    /// The next key of the object; at the end, leaves the object and returns nil.
    package mutating func nextKey() throws -> String? {
        guard try nextItem(before: UInt8(ascii: "}")) else { return nil }
        try takeValue()
        let key = try read { (reader: inout JSONReader) throws(JSONError) in try reader.readString() }
        guard try peek() ?? throwEnded() == UInt8(ascii: ":") else {
            throw JSONStreamFault.malformed("expected ':'", at: offset)
        }
        next += 1
        return key
    }

    /// Moves before the next element of the array; at the end, leaves the array and returns false.
    package mutating func nextElement() throws -> Bool { try nextItem(before: UInt8(ascii: "]")) }

    private mutating func nextItem(before close: UInt8) throws -> Bool {
        let byte = try peek() ?? throwEnded()
        if byte == close {
            next += 1
            isAtFirst = false
            return false
        }
        if !isAtFirst {
            guard byte == UInt8(ascii: ",") else {
                throw JSONStreamFault.malformed("expected ','", at: offset)
            }
            next += 1
        }
        isAtFirst = false
        return true
    }

    private func throwEnded<Value>() throws -> Value { throw JSONStreamFault.ended(at: offset) }
}

// MARK: - Values

extension JSONStreamWalk {
    /// The last value that was taken. It is valid until the walk continues.
    package var value: RawSpan {
        @_lifetime(borrow self)
        borrowing get { window.span.bytes.extracting(kept..<next) }
    }

    /// A copy of ``value``.
    package var valueBytes: [UInt8] { Array(window[kept..<next]) }

    /// The range in the stream of the last value that was taken.
    package var valueRange: Range<Int> { windowOffset + kept..<windowOffset + next }

    /// Consumes the next value, of any kind.
    package mutating func takeValue() throws {
        guard try peek() != nil else { throw JSONStreamFault.ended(at: offset) }
        var end = ValueEnd()
        while try fill() {
            guard next - kept <= valueBytesMax else {
                throw JSONStreamFault.tooLarge(at: windowOffset + kept)
            }
            if let index = end.find(in: window, from: next) {
                // Bytes that cannot start a value are taken too, so that the reader can report them.
                next = max(index, kept + 1)
                return
            }
            next = window.count
        }
        guard end.isAtEnd else { throw JSONStreamFault.ended(at: offset) }
    }

    /// Moves back before the last value that was taken, or before one that is too large.
    package mutating func rewind() { next = kept }

    /// Consumes the next value and checks it.
    package mutating func skipValue() throws {
        try takeValue()
        try check()
    }

    /// Checks the last value that was taken.
    package func check() throws {
        try read { (reader: inout JSONReader) throws(JSONError) in try reader.skipValue() }
    }

    /// Reads the last value that was taken.
    package func read<Result>(_ body: (inout JSONReader) throws(JSONError) -> Result) throws -> Result {
        var reader = JSONReader(value)
        do {
            let result = try body(&reader)
            try reader.finish()
            return result
        } catch {
            throw JSONStreamFault.malformed(error.message, at: valueRange.lowerBound + error.offset)
        }
    }
}

/// Finds the end of a JSON value in a text that arrives in pieces.
///
/// Examines only quotes and brackets; the value is checked when it is read.
struct ValueEnd {
    /// The number of open brackets.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Whether the value is complete when no byte follows, as for a number or a word at the end of the text.
    var isAtEnd: Bool { depth == 0 && !isInString }

    /// The index after the value's last byte, or nil when it continues in the next piece.
    mutating func find(in bytes: [UInt8], from start: Int) -> Int? {
        let bytes = bytes.span.bytes
        var index = start
        while index < bytes.byteCount {
            if isInString, !isEscaped { index = bytes.endOfPlainText(from: index) }
            // The byte after the last one reads as 0, which does not end a value.
            let byte = bytes.byte(at: index)
            if let end = isInString ? inString(byte, index) : outside(byte, index) { return end }
            index += 1
        }
        return nil
    }

    private mutating func inString(_ byte: UInt8, _ index: Int) -> Int? {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            return depth == 0 ? index + 1 : nil
        }
        return nil
    }

    private mutating func outside(_ byte: UInt8, _ index: Int) -> Int? {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else { return index }
            depth -= 1
            return depth == 0 ? index + 1 : nil
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
            return depth == 0 ? index : nil
        default: break
        }
        return nil
    }
}

import PatchbayJSON

/// Walks through a JSON file that is too large to hold: one value is in memory at a time.
///
/// Its methods are those of `JSONReader`. A value that was taken is checked by reading ``value``, or by
/// ``skipValue()``.
struct JSONFileWalk: ~Copyable {
    /// How much is read at once.
    static let chunkBytes = 1 << 20

    private let file: ReadableFile
    private let valueBytesMax: Int
    /// The bytes of the file from `windowOffset` on, and the index among them of the next one.
    private var window: [UInt8] = []
    private var windowOffset = 0
    private var next = 0
    /// The index of the first byte that is still needed: where the value that is being taken starts.
    private var kept = 0
    private var isAtFirst = false

    init(_ file: consuming ReadableFile, valueBytesMax: Int) throws {
        self.file = file
        self.valueBytesMax = valueBytesMax
        try skipByteOrderMark()
    }

    /// The number of bytes before the next one.
    var offset: Int { windowOffset + next }

    /// The next byte that is not white space, or nil at the end of the file.
    mutating func peek() throws -> UInt8? {
        while true {
            kept = next
            guard try fill() else { return nil }
            let byte = window[next]
            guard byte == 0x20 || (0x09...0x0D).contains(byte) else { return byte }
            next += 1
        }
    }

    /// Checks that nothing follows.
    mutating func finish() throws {
        if try peek() != nil { throw WalkFault.malformed("expected the end of the text", at: offset) }
    }

    private mutating func skipByteOrderMark() throws {
        _ = try fill()
        if window.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
    }

    /// Reads on when all bytes were consumed; false at the end of the file.
    private mutating func fill() throws -> Bool {
        if next < window.count { return true }
        let chunk = try file.bytes(at: windowOffset + window.count, count: Self.chunkBytes)
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

extension JSONFileWalk {
    /// Enters an object or array whose opening bracket was peeked.
    mutating func enter() {
        next += 1
        isAtFirst = true
    }

    /// The next key of the object, or nil when the object was left.
    mutating func nextKey() throws -> String? {
        guard try nextItem(before: UInt8(ascii: "}")) else { return nil }
        try takeValue()
        let key = try read { (reader: inout JSONReader) throws(JSONError) in try reader.readString() }
        guard try peek() ?? throwEnded() == UInt8(ascii: ":") else {
            throw WalkFault.malformed("expected ':'", at: offset)
        }
        next += 1
        return key
    }

    /// Moves before the next element of the array; false when the array was left.
    mutating func nextElement() throws -> Bool { try nextItem(before: UInt8(ascii: "]")) }

    private mutating func nextItem(before close: UInt8) throws -> Bool {
        let byte = try peek() ?? throwEnded()
        if byte == close {
            next += 1
            isAtFirst = false
            return false
        }
        if !isAtFirst {
            guard byte == UInt8(ascii: ",") else { throw WalkFault.malformed("expected ','", at: offset) }
            next += 1
        }
        isAtFirst = false
        return true
    }

    private func throwEnded<Value>() throws -> Value { throw WalkFault.ended(at: offset) }
}

// MARK: - Values

extension JSONFileWalk {
    /// The value that was taken last. It holds until the walk goes on.
    var value: RawSpan {
        @_lifetime(borrow self)
        borrowing get { window.span.bytes.extracting(kept..<next) }
    }

    /// A copy of ``value``.
    var valueBytes: [UInt8] { Array(window[kept..<next]) }

    /// Where the value that was taken last stands in the file.
    var valueRange: Range<Int> { windowOffset + kept..<windowOffset + next }

    /// Consumes the next value, of any kind.
    mutating func takeValue() throws {
        guard try peek() != nil else { throw WalkFault.ended(at: offset) }
        var end = ValueEnd()
        while try fill() {
            guard next - kept <= valueBytesMax else { throw WalkFault.tooLarge(at: windowOffset + kept) }
            if let index = end.find(in: window, from: next) {
                // What cannot start a value is taken too, for the reader to say what it is.
                next = max(index, kept + 1)
                return
            }
            next = window.count
        }
        guard end.isAtEnd else { throw WalkFault.ended(at: offset) }
    }

    /// Consumes the next value and checks it.
    mutating func skipValue() throws {
        try takeValue()
        try check()
    }

    /// Checks the value that was taken last.
    func check() throws {
        try read { (reader: inout JSONReader) throws(JSONError) in try reader.skipValue() }
    }

    /// Reads the value that was taken last.
    func read<Result>(_ body: (inout JSONReader) throws(JSONError) -> Result) throws -> Result {
        var reader = JSONReader(value)
        do {
            let result = try body(&reader)
            try reader.finish()
            return result
        } catch {
            throw WalkFault.malformed(error.message, at: valueRange.lowerBound + error.offset)
        }
    }
}

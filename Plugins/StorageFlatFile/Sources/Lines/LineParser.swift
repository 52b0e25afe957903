// Unsafe: a line is read and a row written by address. It holds because every step forward is compared with the end of
// the line, words are read at most 8 bytes past it (``ByteBuffer/slackBytes``), and a row needs at most its slots and
// the line's length, because escapes and base64 are longer than the bytes they encode.

import PatchbayCore
import PatchbayJSON

/// Reads a sound line (``Line/isSound(_:_:at:generation:)``) into a packed row.
///
/// Accepts only the form that ``LineWriter`` writes, with the members in the order of the fields.
struct LineParser {
    enum Outcome: Equatable { case row, deletion, malformed }

    private let line: UnsafeRawPointer
    /// The end of the members: after the comma before `"_crc"`.
    private let end: UnsafeRawPointer
    private var at: UnsafeRawPointer
    private let row: UnsafeMutableRawPointer
    /// The offset of the next text in the row.
    private var textEnd: Int
    private var slot: UInt64 = 0

    /// Reads a line into `buffer`, which then contains the row with the requested fields, the others null.
    static func parse(
        _ line: UnsafeRawPointer, _ count: Int, _ layout: LineLayout, _ fields: FieldSet,
        into buffer: ByteBuffer
    ) -> Outcome {
        buffer.count = 0
        buffer.reserve(8 + layout.members.count * 8 + count)
        var parser = LineParser(line, count, layout, buffer)
        let outcome = parser.readMembers(layout, fields)
        buffer.count = parser.textEnd
        return outcome
    }

    private init(_ line: UnsafeRawPointer, _ count: Int, _ layout: LineLayout, _ buffer: ByteBuffer) {
        self.line = line
        end = line + (count - Line.trailerBytes + 1)
        at = line + 1
        row = buffer.base
        textEnd = 8 + layout.members.count * 8
    }

    private mutating func readMembers(_ layout: LineLayout, _ fields: FieldSet) -> Outcome {
        let count = layout.members.count
        var nulls: UInt64 = count == 48 ? UInt64.max >> 16 : (1 << UInt64(count)) - 1
        let isSound = layout.members.withUnsafeBufferPointer { members in
            layout.names.withUnsafeBytes { names in
                for position in 0..<count {
                    if fields.rawValue >> UInt64(position) == 0 {
                        clearSlots(from: position, to: count)
                        return true
                    }
                    slot = 0
                    if stands(at: names.baseAddress! + members[position].start, members[position].count) {
                        guard readValue(members[position].type), at < end, byte == 0x2C else { return false }
                        at += 1
                        if fields.contains(position: position) {
                            nulls &= ~(1 << UInt64(position))
                        } else {
                            slot = 0
                        }
                    }
                    row.storeBytes(of: slot.littleEndian, toByteOffset: 8 + position * 8, as: UInt64.self)
                }
                return true
            }
        }
        row.storeBytes(of: (UInt64(count) | nulls << 16).littleEndian, as: UInt64.self)
        return isSound ? outcome(layout, fields, nulls) : .malformed
    }

    /// The kind of the line, which the bytes after its last member show.
    private func outcome(_ layout: LineLayout, _ fields: FieldSet, _ nulls: UInt64) -> Outcome {
        guard fields == .all else { return .row }
        if at == end { return layout.collection.requiredFields.rawValue & nulls == 0 ? .row : .malformed }
        let mark: StaticString = "\"_deleted\":true,"
        let isDeletion =
            end - at == mark.utf8CodeUnitCount
            && UnsafeRawBufferPointer(start: at, count: end - at)
                .elementsEqual(UnsafeRawBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
        return isDeletion && layout.keyFields.rawValue & nulls == 0 ? .deletion : .malformed
    }

    private func clearSlots(from first: Int, to count: Int) {
        (row + 8 + first * 8).initializeMemory(as: UInt8.self, repeating: 0, count: (count - first) * 8)
    }

    private var byte: UInt8 { at.load(as: UInt8.self) }

    /// Skips `"name":` when it is next; otherwise returns false.
    @inline(__always)
    private mutating func stands(at name: UnsafeRawPointer, _ count: Int) -> Bool {
        guard count <= end - at else { return false }
        var done = 0
        while done + 8 <= count {
            let word = at.loadUnaligned(fromByteOffset: done, as: UInt64.self)
            if word != name.loadUnaligned(fromByteOffset: done, as: UInt64.self) { return false }
            done += 8
        }
        if done < count {
            let mask = UInt64.max >> UInt64(64 - 8 * (count - done))
            let word = UInt64(littleEndian: at.loadUnaligned(fromByteOffset: done, as: UInt64.self)) & mask
            if word != UInt64(littleEndian: name.loadUnaligned(fromByteOffset: done, as: UInt64.self)) {
                return false
            }
        }
        at += count
        return true
    }

    @inline(__always)
    private mutating func readValue(_ type: FieldType) -> Bool {
        switch type {
        case .integer: readInteger()
        case .real: readReal()
        case .text: readText()
        case .bytes: readBytes()
        }
    }

    @inline(__always)
    private mutating func readInteger() -> Bool {
        let isText = byte == 0x22
        if isText { at += 1 }
        let isNegative = byte == 0x2D
        if isNegative { at += 1 }
        var (value, count) = Word.digits(in: UInt64(littleEndian: at.loadUnaligned(as: UInt64.self)))
        at += count
        // Nineteen digits fit; the largest magnitude has as many.
        while count >= 8, at < end, count < 20 {
            let digit = byte &- 0x30
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            at += 1
            count += 1
        }
        let limit: UInt64 = isNegative ? 1 << 63 : 1 << 63 - 1
        guard count > 0, count < 20, value <= limit else { return false }
        slot = isNegative ? 0 &- value : value
        if isText {
            guard at < end, byte == 0x22 else { return false }
            at += 1
        }
        return true
    }

    private mutating func readReal() -> Bool {
        if byte == 0x22 {
            let start = textEnd
            guard readText() else { return false }
            let bytes = UnsafeRawBufferPointer(start: row + start, count: textEnd - start)
            let text = String(decoding: bytes, as: UTF8.self)
            textEnd = start
            guard text == "Infinity" || text == "-Infinity" else { return false }
            slot = (text == "Infinity" ? Double.infinity : -Double.infinity).bitPattern
            return true
        }
        let rest = rest
        var reader = JSONReader(rest.bytes)
        // A value that cannot be parsed makes the line malformed; the caller reports the place.
        guard let value = try? reader.readDouble() else { return false }
        at += reader.offset
        slot = value.bitPattern
        return true
    }

    /// The bytes from here to the end of the members.
    private var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: at, count: end - at) }

    @inline(__always)
    private mutating func readText() -> Bool {
        guard byte == 0x22 else { return false }
        let target = row + textEnd
        var from = at + 1, done = 0
        while from < end {
            let word = UInt64(littleEndian: from.loadUnaligned(as: UInt64.self))
            target.storeBytes(of: word.littleEndian, toByteOffset: done, as: UInt64.self)
            let stops = Word.marks(of: 0x22, in: word) | Word.marks(of: 0x5C, in: word)
            if stops == 0 {
                from += 8
                done += 8
                continue
            }
            let plain = stops.trailingZeroBitCount / 8
            from += plain
            done += plain
            guard from < end else { return false }
            if from.load(as: UInt8.self) == 0x22 {
                at = from + 1
                return take(done)
            }
            let byte = LineParser.escaped((from + 1).load(as: UInt8.self))
            if byte == 0 { return readEscapedText() }
            target.storeBytes(of: byte, toByteOffset: done, as: UInt8.self)
            from += 2
            done += 1
        }
        return false
    }

    /// The character that a backslash and a letter stand for; 0 for a longer or unknown escape.
    @inline(__always)
    private static func escaped(_ letter: UInt8) -> UInt8 {
        switch letter {
        case 0x22, 0x5C, 0x2F: letter
        case 0x6E: 0x0A
        case 0x74: 0x09
        case 0x72: 0x0D
        case 0x62: 0x08
        case 0x66: 0x0C
        default: 0
        }
    }

    /// Makes the `count` bytes at the end of the row the value.
    @inline(__always)
    private mutating func take(_ count: Int) -> Bool {
        slot = UInt64(count) << 32 | UInt64(truncatingIfNeeded: textEnd)
        textEnd += count
        return true
    }

    @inline(never)
    private mutating func readEscapedText() -> Bool {
        let rest = rest
        var reader = JSONReader(rest.bytes)
        var bytes: [UInt8] = []
        // A value that cannot be parsed makes the line malformed; the caller reports the place.
        guard let text = try? reader.readText() else { return false }
        text.append(to: &bytes)
        at += reader.offset
        bytes.withUnsafeBytes { (row + textEnd).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        return take(bytes.count)
    }

    private mutating func readBytes() -> Bool {
        let start = textEnd
        guard readText() else { return false }
        textEnd = start
        let letters = Array(UnsafeRawBufferPointer(start: row + start, count: Int(slot >> 32)))
        guard let bytes = Base64.decode(letters.span.bytes) else { return false }
        // The bytes overwrite the letters, of which there are more.
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: row + start, count: $0.count).copyBytes(from: $0)
        }
        return take(bytes.count)
    }
}

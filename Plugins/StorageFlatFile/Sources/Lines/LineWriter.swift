// Unsafe: text is copied by address. It holds because room for it is made first, with slack for whole words.

import PatchbayCore
import PatchbayJSON

/// Writes rows as lines, without their trailers.
struct LineWriter: ~Copyable {
    private let layout: LineLayout
    private var escaper = JSONWriter()

    init(_ layout: LineLayout) { self.layout = layout }

    /// Appends the row's members.
    ///
    /// - Throws: `invalidValue` when a text is not UTF-8, which JSON cannot hold; the buffer is then as it was.
    mutating func write(_ row: borrowing Row, to buffer: ByteBuffer) throws {
        let start = buffer.count
        do {
            try write(row, .all, to: buffer)
        } catch {
            buffer.count = start
            throw error
        }
    }

    /// Appends the line that says that the row with this row's key is gone.
    mutating func writeDeletion(of row: borrowing Row, to buffer: ByteBuffer) throws {
        try write(row, layout.keyFields, to: buffer)
        buffer.append(",\"_deleted\":true")
    }

    private mutating func write(_ row: borrowing Row, _ fields: FieldSet, to buffer: ByteBuffer) throws {
        let members = layout.members, names = layout.names
        var separator = UInt8(ascii: "{")
        for position in members.indices {
            guard fields.contains(position: position), !row.isNull(position) else { continue }
            let member = members[position]
            buffer.append(separator, names.span.bytes, member.start, member.count)
            separator = UInt8(ascii: ",")
            switch member.type {
            case .integer: buffer.append(integer: row.integer(position))
            case .real: append(row.real(position), to: buffer)
            case .text: try append(text: row.bytes(position), position, to: buffer)
            case .bytes: append(base64: row.bytes(position), to: buffer)
            }
        }
    }

    private mutating func append(_ value: Double, to buffer: ByteBuffer) {
        guard value.isFinite else { return buffer.append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"") }
        buffer.append(Array(value.description.utf8))
    }

    private mutating func append(text: RawSpan, _ position: Int, to buffer: ByteBuffer) throws {
        if text.withUnsafeBytes({ buffer.append(plainText: $0) }) { return }
        guard text.isUTF8 else {
            let name = "\(layout.collection.name).\(layout.collection.fields[position].name)"
            throw PatchbayError(.invalidValue, "\(name) is not UTF-8, which text must be")
        }
        escaper.reset()
        escaper.string(utf8: text)
        buffer.append(escaper.bytes)
    }

    private func append(base64 bytes: RawSpan, to buffer: ByteBuffer) {
        var letters = [UInt8(ascii: "\"")]
        Base64.append(bytes, to: &letters)
        letters.append(UInt8(ascii: "\""))
        letters.withUnsafeBytes { buffer.append($0) }
    }
}

extension RawSpan {
    fileprivate var isUTF8: Bool {
        // Not UTF-8 is what the error says; nothing else can be wrong.
        (try? UTF8Span(validating: Span(_bytes: self))) != nil
    }
}

extension ByteBuffer {
    /// Appends a byte, then a name that is filled to whole words (``LineLayout/names``).
    @inline(__always)
    fileprivate func append(_ separator: UInt8, _ names: RawSpan, _ start: Int, _ nameCount: Int) {
        reserve(nameCount + 1)
        let target = base + count
        target.storeBytes(of: separator, as: UInt8.self)
        for at in stride(from: 0, to: nameCount, by: 8) {
            // In bounds: the name's last word is whole. What is too much goes to the slack and is written over.
            let word = names.unsafeLoadUnaligned(fromUncheckedByteOffset: start + at, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: 1 + at, as: UInt64.self)
        }
        count += nameCount + 1
    }

    fileprivate func append(integer value: Int64) {
        let isExact = LineLayout.exactIntegers.contains(value)
        reserve(24)
        if !isExact { append(UInt8(ascii: "\"")) }
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digitsOf: value.magnitude)
        if !isExact { append(UInt8(ascii: "\"")) }
    }

    private func append(digitsOf value: UInt64) {
        var width = 1, power: UInt64 = 10
        while width < 20, value >= power {
            width += 1
            power = width == 20 ? power : power &* 10
        }
        var rest = value, at = count + width
        repeat {
            at -= 1
            let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            base.storeBytes(of: digit, toByteOffset: at, as: UInt8.self)
            rest /= 10
        } while at > count
        count += width
    }

    /// Appends printable ASCII without quotes and backslashes, in quotes; false when the text holds
    /// something else.
    fileprivate func append(plainText text: UnsafeRawBufferPointer) -> Bool {
        reserve(text.count + 2)
        let start = base + count + 1
        var at = 0
        while at + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            guard Word.isPlain(word) else { return false }
            start.storeBytes(of: word, toByteOffset: at, as: UInt64.self)
            at += 8
        }
        if at < text.count {
            var word: UInt64 = 0x2020_2020_2020_2020
            withUnsafeMutableBytes(of: &word) {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[at...]))
            }
            guard Word.isPlain(word) else { return false }
            start.storeBytes(of: word, toByteOffset: at, as: UInt64.self)
        }
        base.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: text.count, as: UInt8.self)
        count += text.count + 2
        return true
    }
}

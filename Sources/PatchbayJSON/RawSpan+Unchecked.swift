// All unsafe code of the module. A comment on each line states why it is sound.

extension RawSpan {
    /// The byte at `offset`, or 0 at and after the end; 0 is never a valid byte of JSON.
    @inlinable @inline(__always)
    package func byte(at offset: Int) -> UInt8 {
        // Sound: `offset` is compared with the length on the same line, and is never negative.
        offset < byteCount ? unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self) : 0
    }

    /// The eight bytes from `offset`, the first in the lowest bits. At least eight bytes must be left.
    @inlinable @inline(__always)
    func word(at offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= byteCount)
        // Sound: every caller has compared `offset + 8` with the length.
        return unsafe UInt64(
            littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// The eight bytes from `offset`, with zeros after the end; `offset` may be the length.
    @inlinable @inline(__always)
    func paddedWord(at offset: Int) -> UInt64 {
        let left = byteCount - offset
        if left >= 8 { return word(at: offset) }
        if byteCount >= 8 { return word(at: byteCount - 8) >> (64 - 8 * left) }
        var word: UInt64 = 0
        for place in 0..<left { word |= UInt64(byte(at: offset + place)) << (8 * place) }
        return word
    }

    /// Whether the bytes from `offset` on begin with those of another span from `start` on.
    @inlinable @inline(__always)
    func contains(_ other: RawSpan, from start: Int, at offset: Int) -> Bool {
        let count = other.byteCount - start
        guard offset + count <= byteCount else { return false }
        if count < 8 {
            for at in 0..<count where byte(at: offset + at) != other.byte(at: start + at) { return false }
            return true
        }
        var at = 0
        while at + 8 < count {
            guard word(at: offset + at) == other.word(at: start + at) else { return false }
            at += 8
        }
        // The last eight bytes, some of which may have been compared already.
        return word(at: offset + count - 8) == other.word(at: other.byteCount - 8)
    }

    /// The four bytes from `offset`, the first in the lowest bits. At least four bytes must be left.
    @inlinable @inline(__always)
    func halfWord(at offset: Int) -> UInt32 {
        assert(offset >= 0 && offset + 4 <= byteCount)
        // Sound: every caller has compared `offset + 4` with the length.
        return unsafe UInt32(
            littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    /// The bytes of `range`, which must be within bounds.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    func slice(_ range: Range<Int>) -> RawSpan {
        assert(range.lowerBound >= 0 && range.upperBound <= byteCount)
        // Sound: both ends are offsets that the reader has already passed.
        return unsafe extracting(unchecked: range)
    }
}

extension RawSpan {
    /// Creates a `String` from bytes that are known to be valid UTF-8.
    @inlinable
    func stringOfValidUTF8(isASCII: Bool) -> String {
        // Sound: the reader has checked every byte between the quotes, so no second check is needed.
        unsafe String(copying: UTF8Span(unchecked: Span(_bytes: self), isKnownASCII: isASCII))
    }

    /// Whether the bytes equal those of the literal.
    @inlinable @inline(__always)
    func equals(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard byteCount == count else { return false }
        let other = literal.bytes
        var at = 0
        while at + 8 <= count {
            guard word(at: at) == other.word(at: at) else { return false }
            at += 8
        }
        if at + 4 <= count {
            guard halfWord(at: at) == other.halfWord(at: at) else { return false }
            at += 4
        }
        while at < count {
            guard byte(at: at) == other.byte(at: at) else { return false }
            at += 1
        }
        return true
    }
}

extension Span where Element == UInt8 {
    /// The bytes, without `unsafe`, which the standard library's property needs for types with padding.
    @inlinable @inline(__always)
    package var bytes: RawSpan {
        @_lifetime(copy self) get { RawSpan(_elements: self) }
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    @inlinable
    package mutating func append(_ bytes: RawSpan) {
        // Sound: the pointer is used only inside the closure.
        unsafe Span<UInt8>(_bytes: bytes).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension String {
    /// The text of UTF-8; malformed bytes become U+FFFD.
    package init(decoding bytes: RawSpan) {
        // Sound: the pointer is used only inside the closure.
        self = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension StaticString {
    /// The bytes of the literal.
    @inlinable
    var bytes: RawSpan {
        @_lifetime(immortal)
        get {
            // Sound: a literal is never deallocated, so its span outlives every caller.
            unsafe _overrideLifetime(
                RawSpan(_unsafeStart: utf8Start, byteCount: utf8CodeUnitCount), copying: ())
        }
    }
}

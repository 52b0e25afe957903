// All unsafe code of the module. Each line says why it holds.

extension RawSpan {
    /// The byte at `offset`, or 0 at and after the end; 0 is no valid byte of JSON.
    @inlinable @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        // Holds: `offset` was compared with the length on the same line, and is never negative.
        offset < byteCount ? unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self) : 0
    }

    /// The eight bytes from `offset`, the first in the lowest bits. At least eight bytes must be left.
    @inlinable @inline(__always)
    func word(at offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= byteCount)
        // Holds: every caller has compared `offset + 8` with the length.
        return UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// The four bytes from `offset`, the first in the lowest bits. At least four bytes must be left.
    @inlinable @inline(__always)
    func halfWord(at offset: Int) -> UInt32 {
        assert(offset >= 0 && offset + 4 <= byteCount)
        // Holds: every caller has compared `offset + 4` with the length.
        return UInt32(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    /// The bytes of `range`, which must lie inside.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    func slice(_ range: Range<Int>) -> RawSpan {
        assert(range.lowerBound >= 0 && range.upperBound <= byteCount)
        // Holds: both ends are offsets the reader has already passed.
        return extracting(unchecked: range)
    }
}

extension RawSpan {
    /// Makes a `String` of bytes that are known to be valid UTF-8.
    @inlinable
    func stringOfValidUTF8(isASCII: Bool) -> String {
        // Holds: the pointer is used inside the closure only.
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the bytes are those of the literal.
    @inlinable @inline(__always)
    func equals(_ literal: StaticString) -> Bool {
        guard byteCount == literal.utf8CodeUnitCount else { return false }
        // Holds: both sides have the same number of bytes, and the literal lives for ever.
        let other = UnsafeRawBufferPointer(start: literal.utf8Start, count: byteCount)
        return withUnsafeBytes { $0.elementsEqual(other) }
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    @inlinable
    mutating func append(_ bytes: RawSpan) {
        // Holds: the pointer is used inside the closure only.
        bytes.withUnsafeBytes { append(contentsOf: $0) }
    }
}

extension StaticString {
    /// The bytes of the literal.
    @inlinable
    var bytes: RawSpan {
        @_lifetime(immortal)
        get {
            // Holds: a literal lives for ever, so its span outlives every caller.
            _overrideLifetime(RawSpan(_unsafeStart: utf8Start, byteCount: utf8CodeUnitCount), copying: ())
        }
    }
}

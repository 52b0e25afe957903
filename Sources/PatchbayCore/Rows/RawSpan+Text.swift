extension Span where Element == UInt8 {
    /// The bytes, without `unsafe`, which the standard library's property needs for types with padding.
    @inlinable @inline(__always)
    var bytes: RawSpan {
        @_lifetime(copy self) get { RawSpan(_elements: self) }
    }
}

extension RawSpan {
    /// Whether the bytes are valid for a text field: UTF-8 without U+0000.
    package var isText: Bool {
        unsafe withUnsafeBytes { bytes in
            if unsafe bytes.allSatisfy({ $0 &- 1 < 0x7F }) { return true }
            return unsafe !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        }
    }
}

extension RawSpan {
    /// Whether the bytes are valid for a text field: UTF-8 without U+0000.
    public var isText: Bool {
        withUnsafeBytes { bytes in
            if unsafe bytes.allSatisfy({ $0 &- 1 < 0x7F }) { return true }
            return unsafe !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        }
    }
}

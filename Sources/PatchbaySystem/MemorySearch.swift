public import CPlatform

extension UnsafeRawPointer {
    /// The offset of the first such byte among `count` bytes; nil when there is none.
    @inlinable package func offset(of byte: UInt8, count: Int) -> Int? {
        guard let found = unsafe memchr(self, Int32(byte), count) else { return nil }
        return unsafe UnsafeRawPointer(found) - self
    }
}

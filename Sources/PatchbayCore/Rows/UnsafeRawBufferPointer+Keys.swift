extension UnsafeRawBufferPointer {
    /// Compares keys by their bytes, a word at a time: less than 0, 0, more than 0.
    @inlinable @inline(__always)
    package func order(to other: UnsafeRawBufferPointer) -> Int {
        let common = Swift.min(count, other.count)
        var at = 0
        while at + 8 <= common {
            let word = unsafe UInt64(bigEndian: loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let otherWord = unsafe UInt64(bigEndian: other.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            if word != otherWord { return word < otherWord ? -1 : 1 }
            at += 8
        }
        while at < common {
            if unsafe self[at] != other[at] { return unsafe self[at] < other[at] ? -1 : 1 }
            at += 1
        }
        return count - other.count
    }

    /// Whether both have the same bytes.
    @inlinable @inline(__always)
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        unsafe count == other.count && order(to: other) == 0
    }

    /// Whether the first bytes are these.
    @inlinable @inline(__always)
    package func hasPrefix(_ other: UnsafeRawBufferPointer) -> Bool {
        unsafe count >= other.count
            && UnsafeRawBufferPointer(rebasing: self[..<other.count]).order(to: other) == 0
    }

    /// Whether these bytes come before others.
    @inlinable @inline(__always)
    package func precedes(_ other: UnsafeRawBufferPointer) -> Bool { unsafe order(to: other) < 0 }
}

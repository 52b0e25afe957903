import CLMDB
import CPlatform

extension UnsafeRawBufferPointer {
    /// The number at an offset, which need not be aligned.
    @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number {
        unsafe loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// A part of the bytes.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Whether both have the same bytes.
    @inline(__always)
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool { unsafe count == other.count && hasPrefix(other) }

    /// Whether the first bytes are these.
    @inline(__always)
    func hasPrefix(_ other: UnsafeRawBufferPointer) -> Bool {
        guard other.count <= count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return unsafe memcmp(left, right, other.count) == 0
    }

    /// Whether these bytes come before others. Neither is nil.
    @inline(__always)
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let order = unsafe memcmp(baseAddress!, other.baseAddress!, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }
}

extension MDB_val {
    /// Drops `const`, because LMDB does not write through this pointer.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

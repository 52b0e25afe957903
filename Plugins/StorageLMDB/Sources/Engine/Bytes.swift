import CLMDB

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

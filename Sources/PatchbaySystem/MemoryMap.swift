public import CPlatform

/// Files as memory that cannot be written.
package enum MemoryMap {
    /// Maps an open file.
    ///
    /// - Parameter bytes: the addresses to reserve; those beyond the file's end must not be touched.
    package static func make(
        of descriptor: Int32, bytes: Int
    ) throws(SystemError) -> UnsafeRawBufferPointer {
        guard let start = unsafe mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0),
            unsafe start != MAP_FAILED
        else { throw .last }
        return unsafe UnsafeRawBufferPointer(start: start, count: bytes)
    }

    /// Stops the system from reading ahead.
    package static func expectRandomReads(_ map: UnsafeRawBufferPointer) {
        _ = unsafe madvise(UnsafeMutableRawPointer(mutating: map.baseAddress), map.count, MADV_RANDOM)
    }

    /// Releases the addresses, which must not be used any more.
    package static func remove(_ map: UnsafeRawBufferPointer) {
        unsafe munmap(UnsafeMutableRawPointer(mutating: map.baseAddress), map.count)
    }
}

extension UnsafeRawPointer {
    /// The offset of the first such byte among `count` bytes; nil when there is none.
    @inlinable package func offset(of byte: UInt8, count: Int) -> Int? {
        guard let found = unsafe memchr(self, Int32(byte), count) else { return nil }
        return unsafe UnsafeRawPointer(found) - self
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    @inline(__always)
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool { count == other.count && hasPrefix(other) }

    /// Whether the first bytes are these.
    @inline(__always)
    func hasPrefix(_ other: UnsafeRawBufferPointer) -> Bool {
        guard other.count <= count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, other.count) == 0
    }
}

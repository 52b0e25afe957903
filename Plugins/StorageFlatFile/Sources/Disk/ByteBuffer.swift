// Unsafe: memory by address. It holds because every method first reserves the room that it uses.

import PatchbaySystem

/// A growing block of memory with slack after its capacity, so that whole words may be read and written there.
///
/// One thread uses it at a time.
///
/// Safe, because the memory is its own, and it grows before bytes are written.
@safe final class ByteBuffer {
    /// The number of bytes after the capacity that may be touched.
    static let slackBytes = 64

    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    /// The bytes in use.
    var count = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
        unsafe base = .allocate(byteCount: capacity + ByteBuffer.slackBytes, alignment: 16)
    }

    deinit { unsafe base.deallocate() }

    /// Makes room for `more` bytes after those in use.
    @inline(__always)
    func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    @inline(never)
    private func grow(_ more: Int) {
        let newCapacity = max(capacity * 2, count + more)
        let newBase = UnsafeMutableRawPointer.allocate(
            byteCount: newCapacity + ByteBuffer.slackBytes, alignment: 16)
        unsafe newBase.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe (base, capacity) = unsafe (newBase, newCapacity)
    }

    func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    func append(_ text: StaticString) {
        unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe (base + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Calls `body` with the bytes in use.
    func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count)
        return try unsafe body(bytes.bytes)
    }

    func copyBytes() -> [UInt8] { unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: count)) }

    /// The offset of the first such byte at or after `start`; nil when there is none.
    func offset(of byte: UInt8, from start: Int) -> Int? {
        guard start < count else { return nil }
        return unsafe UnsafeRawPointer(base + start).offset(of: byte, count: count - start).map { start + $0 }
    }

    /// Drops the bytes before `start` and moves the others to the front.
    func removeFirst(_ start: Int) {
        unsafe base.copyMemory(from: base + start, byteCount: count - start)
        count -= start
    }
}

// Unsafe: memory by address. It holds because every method first reserves the room that it uses.

import CPlatform

/// A growing block of memory with slack after its capacity, so that whole words may be read and written there.
///
/// One thread uses it at a time.
final class ByteBuffer {
    /// The number of bytes after the capacity that may be touched.
    static let slackBytes = 64

    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    /// The bytes in use.
    var count = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity + ByteBuffer.slackBytes, alignment: 16)
    }

    deinit { base.deallocate() }

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
        newBase.copyMemory(from: base, byteCount: count)
        base.deallocate()
        (base, capacity) = (newBase, newCapacity)
    }

    func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { append($0) }
    }

    func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends a number, the lowest byte first.
    func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    /// The number at an offset, the lowest byte first. All its bytes must be in use.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        Number(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Calls `body` with the bytes from `start` on.
    func withBytes<Result>(from start: Int = 0, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
        return try body(bytes.bytes)
    }

    func copyBytes() -> [UInt8] { [UInt8](UnsafeRawBufferPointer(start: base, count: count)) }

    /// The offset of the first such byte at or after `start`; nil when there is none.
    func offset(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let found = memchr(base + start, Int32(byte), count - start) else { return nil }
        return UnsafeMutableRawPointer(found) - base
    }

    /// Drops the bytes before `start` and moves the others to the front.
    func removeFirst(_ start: Int) {
        base.copyMemory(from: base + start, byteCount: count - start)
        count -= start
    }
}

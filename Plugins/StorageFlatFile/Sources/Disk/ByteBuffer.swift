// Unsafe: memory by address. It holds because every method first makes sure of the room that it uses.

/// Memory that grows, with room behind its end, so that whole words may be read and written there.
///
/// One thread uses it at a time.
final class ByteBuffer {
    /// The bytes behind the capacity that may be touched.
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

    /// Makes room for `more` bytes behind those in use.
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

    /// Gives the bytes from `start` on to `body`.
    func withBytes<Result>(from start: Int = 0, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
        return try body(bytes.bytes)
    }

    func copyBytes() -> [UInt8] { [UInt8](UnsafeRawBufferPointer(start: base, count: count)) }

    /// Where a byte stands first from `start` on; nil when it does not.
    func offset(of byte: UInt8, from start: Int) -> Int? {
        var at = start
        while at < count {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let marks = Word.marks(of: byte, in: word)
            if marks != 0 {
                let found = at + marks.trailingZeroBitCount / 8
                return found < count ? found : nil
            }
            at += 8
        }
        return nil
    }

    /// Forgets the bytes before `start`; the others move to the front.
    func removeFirst(_ start: Int) {
        base.copyMemory(from: base + start, byteCount: count - start)
        count -= start
    }
}

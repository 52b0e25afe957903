/// A growing buffer, reused between statements, whose numbers are in network byte order.
///
/// Safe, because it owns its memory, and grows before each number or text that it appends.
@safe struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity = ByteBuffer.firstCapacity
    private(set) var count = 0

    private static let firstCapacity = 65_536
    /// A buffer that has grown beyond this size is released by `removeAll()`.
    private static let keptCapacityMax = 8 << 20

    init() { unsafe start = .allocate(byteCount: capacity, alignment: 8) }

    deinit { unsafe start.deallocate() }

    /// The bytes, at an address that is valid until more are appended.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() {
        count = 0
        guard capacity > Self.keptCapacityMax else { return }
        unsafe start.deallocate()
        capacity = Self.firstCapacity
        unsafe start = .allocate(byteCount: capacity, alignment: 8)
    }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        let size = MemoryLayout<Number>.size
        reserve(size)
        unsafe start.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count &+= size
    }

    @inline(__always)
    mutating func append(_ more: RawSpan) {
        let size = more.byteCount
        reserve(size)
        unsafe more.withUnsafeBytes {
            if let source = $0.baseAddress {
                unsafe (start + count).copyMemory(from: source, byteCount: size)
            }
        }
        count &+= size
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count &+ more > capacity { grow(to: count + more) }
    }

    @inline(never)
    private mutating func grow(to needed: Int) {
        capacity = max(needed, capacity * 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        unsafe larger.copyMemory(from: start, byteCount: count)
        unsafe start.deallocate()
        unsafe start = larger
    }
}

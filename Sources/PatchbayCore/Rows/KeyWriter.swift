/// Writes the parts of a key into memory in the form of ``KeyEncoding``.
///
/// Past the end of the memory it only counts, so that the length of a key that did not fit is known.
///
/// Safe, because it does not outlive the memory and compares every place with its size.
@safe struct KeyWriter: ~Escapable {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    /// The size of the key in bytes; greater than the memory when the key did not fit.
    private(set) var count = 0

    @_lifetime(borrow room)
    init(_ room: UnsafeMutableRawBufferPointer) {
        guard let start = room.baseAddress else { preconditionFailure("a key needs room") }
        unsafe self.start = start
        capacity = room.count
    }

    /// Writes the byte before the value of an optional field.
    @inline(__always)
    mutating func write(isNull: Bool) {
        if count < capacity {
            unsafe start.storeBytes(of: isNull ? 0 : 1, toByteOffset: count, as: UInt8.self)
        }
        count &+= 1
    }

    @inline(__always)
    mutating func write(_ value: Int64) {
        if count &+ 8 <= capacity {
            let ordered = KeyEncoding.ordered(value).bigEndian
            unsafe start.storeBytes(of: ordered, toByteOffset: count, as: UInt64.self)
        }
        count &+= 8
    }

    @inline(__always)
    mutating func write(utf8: RawSpan, isFolded: Bool) {
        let end = count &+ utf8.byteCount
        if end < capacity {
            let text = unsafe UnsafeMutableRawBufferPointer(start: start + count, count: utf8.byteCount)
            unsafe utf8.withUnsafeBytes { unsafe text.copyMemory(from: $0) }
            if isFolded { unsafe KeyWriter.fold(text) }
            unsafe start.storeBytes(of: 0, toByteOffset: end, as: UInt8.self)
        }
        count = end &+ 1
    }

    private static func fold(_ text: UnsafeMutableRawBufferPointer) {
        for place in text.indices where unsafe text[place].isASCIIUppercase {
            unsafe text[place] |= 0x20
        }
    }

    /// Removes the last byte.
    mutating func removeLast() { count -= 1 }
}

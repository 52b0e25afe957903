import PatchbayCore
import PatchbayDomain

/// Copies of the rows of a batch, one after another, and the place of the current one.
///
/// A plain value in memory that ``RowCursor`` owns, because Swift would check each access to a property of a class for
/// exclusiveness, a tenth of the time of a sum.
@unsafe struct CopiedRows {
    /// The rows, each after its length in 8 bytes, so that reading a slot needs one access.
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 8)
    private(set) var byteCount = 0
    private var place = 0
    /// The rows that are left if only their number matters.
    var uncounted = 0
    /// The bits of the texts that are copied; nil for all.
    private var texts: UInt64?
    /// The position of the mark of rows that are left out, because they are no longer listed.
    private let gone: Int?

    /// The length of a row from which on texts that the statement does not need are left out.
    private static let longRow = 512

    init(leavesOutGone: Bool) { unsafe gone = leavesOutGone ? ItemState.goneAtPosition : nil }

    func deallocate() { unsafe buffer.deallocate() }

    // MARK: Reading

    var isAtEnd: Bool { unsafe place >= byteCount && uncounted == 0 }

    /// The current row; nil if only the number of rows is known.
    @inline(__always)
    var row: UnsafeRawBufferPointer? {
        if unsafe place >= byteCount { return nil }
        let start = unsafe UnsafeRawPointer(buffer.baseAddress! + place)
        return unsafe UnsafeRawBufferPointer(start: start + 8, count: start.load(as: Int.self))
    }

    @inline(__always)
    mutating func advance() {
        if unsafe uncounted > 0 { return unsafe uncounted -= 1 }
        if let count = unsafe row?.count { unsafe place &+= Self.stride(count) }
    }

    /// Goes back to the first row.
    mutating func rewind() { unsafe place = 0 }

    @inline(__always)
    private static func stride(_ count: Int) -> Int { (count &+ 15) & ~7 }

    // MARK: Filling

    mutating func clear() { unsafe (byteCount, place, uncounted) = (0, 0, 0) }

    /// Limits which texts of long rows are copied.
    mutating func need(_ texts: UInt64?) { unsafe self.texts = texts }

    /// Copies a row, unless the table leaves it out.
    @inline(__always)
    mutating func append(_ row: borrowing RowView) {
        if let gone = unsafe gone, !row.isNull(gone) { return }
        let count = row.byteCount
        if unsafe byteCount &+ count &+ 16 > buffer.count { unsafe grow(count) }
        let start = unsafe buffer.baseAddress! + byteCount
        let copied = unsafe row.rawBytes.withUnsafeBytes { bytes in
            if unsafe count > Self.longRow, let texts = unsafe texts {
                return unsafe Self.copy(row, bytes, texts, to: start + 8)
            }
            unsafe (start + 8).copyMemory(from: bytes.baseAddress!, byteCount: count)
            return count
        }
        unsafe start.storeBytes(of: copied, as: Int.self)
        unsafe byteCount &+= Self.stride(copied)
    }

    /// Copies a row that was copied before.
    mutating func append(copy row: UnsafeRawBufferPointer) {
        if unsafe byteCount &+ row.count &+ 16 > buffer.count { unsafe grow(row.count) }
        let start = unsafe buffer.baseAddress! + byteCount
        unsafe (start + 8).copyMemory(from: row.baseAddress!, byteCount: row.count)
        unsafe start.storeBytes(of: row.count, as: Int.self)
        unsafe byteCount &+= Self.stride(row.count)
    }

    /// Copies the slots of a row, and some of its texts.
    ///
    /// - Returns: the length of the copy. The slots of other texts are not valid, and no column shows them.
    private static func copy(
        _ row: borrowing RowView, _ bytes: UnsafeRawBufferPointer, _ texts: UInt64,
        to copy: UnsafeMutableRawPointer
    ) -> Int {
        let slots = 8 &+ row.fieldCount &* 8
        unsafe copy.copyMemory(from: bytes.baseAddress!, byteCount: slots)
        var end = slots
        var left = texts
        while left != 0 {
            let position = left.trailingZeroBitCount
            left &= left &- 1
            if row.isNull(position) { continue }
            let text = row.bytes(position)
            guard end &+ text.byteCount <= bytes.count else {
                // Texts that overlap have no room one after another.
                unsafe copy.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
                return bytes.count
            }
            unsafe text.withUnsafeBytes { text in
                if let start = text.baseAddress {
                    unsafe (copy + end).copyMemory(from: start, byteCount: text.count)
                }
            }
            let slot = UInt64(truncatingIfNeeded: text.byteCount) << 32 | UInt64(truncatingIfNeeded: end)
            unsafe copy.storeBytes(of: slot.littleEndian, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
            end &+= text.byteCount
        }
        return end
    }

    private mutating func grow(_ count: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: unsafe max(buffer.count * 2, byteCount + count + 16), alignment: 8)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<byteCount]))
        unsafe buffer.deallocate()
        unsafe buffer = larger
    }
}

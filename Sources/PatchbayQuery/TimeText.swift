import PatchbayCore

/// Times as texts in SQL: `2026-11-28T13:20:00Z`, as in JSON, with a fraction only if it is not zero.
///
/// The collation ``collation`` orders them as times. Bytes do not, because `.` comes before `Z`, so that half a second
/// after a full one would come before it.
enum TimeText {
    static let collation = "TIME"

    /// Compares two texts by their bytes, except that `Z` comes before everything else but the end.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        for place in 0..<count {
            let (a, b) = unsafe (left[place], right[place])
            if a != b { return rank(a) < rank(b) ? -1 : 1 }
        }
        return left.count - right.count
    }

    @inline(__always)
    private static func rank(_ byte: UInt8) -> Int { byte == UInt8(ascii: "Z") ? -1 : Int(byte) }

    /// How the text of a time compares with another text.
    private static func compare(_ milliseconds: Int64, _ text: [UInt8]) -> Int {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Timestamp.textBytesMax) { room in
            let count = unsafe Timestamp(milliseconds: milliseconds).write(to: room.baseAddress!)
            return unsafe text.withUnsafeBytes {
                unsafe compare(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]), $0)
            }
        }
    }

    /// The first time whose text is not before a text, in milliseconds; nil when there is none.
    ///
    /// The text need not be a time: a date, or the beginning of one, bounds times as well.
    static func first(notBefore text: [UInt8]) -> Int64? {
        var (low, high) = (Timestamp.storedRange.lowerBound, Timestamp.storedRange.upperBound)
        guard compare(high, text) >= 0 else { return nil }
        while low < high {
            let middle = low + (high - low) / 2
            if compare(middle, text) >= 0 { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Whether a text is that of a time.
    static func isText(_ text: [UInt8], of milliseconds: Int64) -> Bool { compare(milliseconds, text) == 0 }
}

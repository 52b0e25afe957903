// Unsafe: keys by address. It holds because a length comes with every address.

/// The first eight bytes of a key as a number, with zeros where the key is shorter. Different numbers compare like the
/// keys.
@inline(__always)
func keyWord(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    return unsafe key.isEmpty ? 0 : key.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - key.count))
}

/// Compares keys by their bytes: less than 0, 0, more than 0.
@inline(__always)
func compareKeys(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    var at = 0
    while at + 8 <= common {
        let leftWord = unsafe UInt64(bigEndian: left.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let rightWord = unsafe UInt64(bigEndian: right.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        if leftWord != rightWord { return leftWord < rightWord ? -1 : 1 }
        at += 8
    }
    while at < common {
        if unsafe left[at] != right[at] { return unsafe left[at] < right[at] ? -1 : 1 }
        at += 1
    }
    return left.count - right.count
}

extension UnsafeRawBufferPointer {
    /// Whether a key starts with these bytes.
    @inline(__always)
    func starts(with prefix: UnsafeRawBufferPointer) -> Bool {
        unsafe count >= prefix.count
            && compareKeys(UnsafeRawBufferPointer(rebasing: self[..<prefix.count]), prefix) == 0
    }
}

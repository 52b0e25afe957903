// Unsafe: a page is read and written by address. It holds because a page's memory is `byteCount` long, positions in it
// come from its own slots, and a page from disk is checked (``PageView/isSound``) before any other use.

import CChecksum

/// A view of 4,096 bytes of sorted index entries in memory. Valid while their owner lives.
///
///     0     4       6        8
///     | crc | count | lowest | slot 0 | slot 1 ...    free    ... entries |
///     entry: | offset 8 | length 4 | key length 2 | key |
///
/// Numbers are little-endian. A slot (2 bytes) is the start of an entry; the slots are sorted by their entries' keys,
/// while the entries themselves are in any order.
///
/// Safe, because places are checked against the size of a page, and an owner keeps the page.
@safe struct PageView: @unchecked Sendable {
    // Sendable: bytes that do not change while they are shared.
    static let byteCount = 4096
    static let headerBytes = 8
    static let entryBytes = 14

    let base: UnsafeRawPointer

    var count: Int { unsafe Int(base.loadUnaligned(fromByteOffset: 4, as: UInt16.self)) }

    /// The offset of the lowest entry.
    var lowest: Int { unsafe Int(base.loadUnaligned(fromByteOffset: 6, as: UInt16.self)) }

    private func entry(_ slot: Int) -> UnsafeRawPointer {
        unsafe base
            + Int(base.loadUnaligned(fromByteOffset: PageView.headerBytes + 2 * slot, as: UInt16.self))
    }

    func place(_ slot: Int) -> Place {
        let entry = unsafe entry(slot)
        return unsafe Place(
            offset: Int(truncatingIfNeeded: entry.loadUnaligned(as: UInt64.self)),
            length: Int(entry.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }

    func key(_ slot: Int) -> UnsafeRawBufferPointer {
        let entry = unsafe entry(slot)
        return unsafe UnsafeRawBufferPointer(
            start: entry + PageView.entryBytes,
            count: Int(entry.loadUnaligned(fromByteOffset: 12, as: UInt16.self)))
    }

    func copyKey(_ slot: Int) -> [UInt8] { unsafe [UInt8](key(slot)) }

    func compare(_ slot: Int, _ other: PageView, _ otherSlot: Int) -> Int {
        unsafe compareKeys(key(slot), other.key(otherSlot))
    }

    /// The first slot whose key is not less than `key`, and whether it is that key.
    func position(of key: UnsafeRawBufferPointer) -> (slot: Int, isEqual: Bool) {
        let word = unsafe keyWord(key), count = count
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if unsafe isBefore(middle, key, word) { low = middle + 1 } else { high = middle }
        }
        return unsafe (low, low < count && compareKeys(self.key(low), key) == 0)
    }

    /// Whether an entry's key is less than one that starts with `word`.
    @inline(__always)
    private func isBefore(_ slot: Int, _ key: UnsafeRawBufferPointer, _ word: UInt64) -> Bool {
        let other = unsafe self.key(slot), otherWord = unsafe keyWord(other)
        return unsafe otherWord == word ? compareKeys(other, key) < 0 : otherWord < word
    }

    /// The checksum of a page, which covers the page's place in its run, so that a misplaced page does not pass.
    func checksum(run: UInt64, number: Int) -> UInt32 {
        var seed = (run, UInt64(number))
        let start = unsafe patchbay_crc32c(0, &seed, 16)
        return unsafe patchbay_crc32c(start, base + 4, PageView.byteCount - 4)
    }

    var storedChecksum: UInt32 { unsafe base.loadUnaligned(as: UInt32.self) }

    /// Whether every slot leads to an entry inside the page, and every entry to a possible place in a file.
    var isSound: Bool {
        let slotsEnd = PageView.headerBytes + 2 * count
        guard count > 0, slotsEnd <= PageView.byteCount else { return false }
        for slot in 0..<count {
            let start = unsafe Int(
                base.loadUnaligned(fromByteOffset: PageView.headerBytes + 2 * slot, as: UInt16.self))
            guard start >= slotsEnd, start + PageView.entryBytes <= PageView.byteCount,
                unsafe start + PageView.entryBytes + key(slot).count <= PageView.byteCount,
                place(slot).isPossible
            else { return false }
        }
        return true
    }
}

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

/// The place of a line in its file, which an index entry leads to.
struct Place: Sendable, Equatable {
    var offset: Int
    /// With the newline; 0 in the entry of a deleted key.
    var length: Int

    static let deleted = Place(offset: 0, length: 0)

    var isDeleted: Bool { length == 0 }

    var end: Int { offset + length }

    /// Whether a line can be here, so that arithmetic with the offset never overflows.
    var isPossible: Bool { (0..<(1 << 56)).contains(offset) && length <= Line.byteCountMax }
}

// Unsafe: a page is read and written by address. It holds because a page's memory is `byteCount` long,
// positions in it come from its own slots, and a page that comes from disk is checked
// (``PageView/isSound``) before anything else.

import CChecksum

/// Reads 4,096 bytes of sorted index entries, wherever they stand. Valid while their owner lives.
///
///     0     4       6        8
///     | crc | count | lowest | slot 0 | slot 1 ...    free    ... entries |
///     entry: | offset 8 | length 4 | key length 2 | key |
///
/// Numbers are little-endian. A slot (2 bytes) is the start of an entry; the slots are sorted by their
/// entries' keys, the entries themselves stand in any order.
struct PageView: @unchecked Sendable {
    // Sendable: bytes that do not change while they are shared.
    static let byteCount = 4096
    static let headerBytes = 8
    static let entryBytes = 14

    let base: UnsafeRawPointer

    var count: Int { Int(base.loadUnaligned(fromByteOffset: 4, as: UInt16.self)) }

    /// Where the lowest entry starts.
    var lowest: Int { Int(base.loadUnaligned(fromByteOffset: 6, as: UInt16.self)) }

    private func entry(_ slot: Int) -> UnsafeRawPointer {
        base + Int(base.loadUnaligned(fromByteOffset: PageView.headerBytes + 2 * slot, as: UInt16.self))
    }

    func place(_ slot: Int) -> Place {
        let entry = entry(slot)
        return Place(
            offset: Int(truncatingIfNeeded: entry.loadUnaligned(as: UInt64.self)),
            length: Int(entry.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }

    func key(_ slot: Int) -> UnsafeRawBufferPointer {
        let entry = entry(slot)
        return UnsafeRawBufferPointer(
            start: entry + PageView.entryBytes,
            count: Int(entry.loadUnaligned(fromByteOffset: 12, as: UInt16.self)))
    }

    func copyKey(_ slot: Int) -> [UInt8] { [UInt8](key(slot)) }

    func compare(_ slot: Int, _ other: PageView, _ otherSlot: Int) -> Int {
        compareKeys(key(slot), other.key(otherSlot))
    }

    /// The first slot whose key is not less than `key`, and whether it is that key.
    func position(of key: UnsafeRawBufferPointer) -> (slot: Int, isEqual: Bool) {
        let word = keyWord(key)
        let bracket = bracket(word)
        var low = bracket.lowerBound, high = bracket.upperBound
        var isEqual = false
        while low < high {
            let middle = (low + high) / 2
            let other = self.key(middle), otherWord = keyWord(other)
            if word != otherWord {
                if otherWord < word { low = middle + 1 } else { high = middle }
                continue
            }
            let order = compareKeys(other, key)
            if order < 0 {
                low = middle + 1
            } else {
                high = middle
                isEqual = order == 0
            }
        }
        return (low, isEqual)
    }

    /// Slots around the position of a key, found by its first bytes: where it would stand if all keys lay evenly, and
    /// from there in growing steps. In a page that is not in the processor's cache every key looked at costs a wait.
    private func bracket(_ word: UInt64) -> Range<Int> {
        let count = count
        guard count > 8 else { return 0..<count }
        let first = keyWord(key(0)), last = keyWord(key(count - 1))
        guard first < word, word < last else {
            return word < first ? 0..<0 : word > last ? count..<count : 0..<count
        }
        var low = 0, high = count, step = 1
        var probe = Int(Double(word - first) / Double(last - first) * Double(count - 1))
        // Of keys with the same first bytes, some may stand before it and others behind.
        var other = keyWord(key(probe))
        if other <= word {
            while other <= word {
                if other < word { low = probe + 1 }
                probe += step
                step *= 2
                guard probe < count else { return low..<count }
                other = keyWord(key(probe))
            }
            high = probe
        } else {
            while other >= word {
                if other > word { high = probe }
                probe -= step
                step *= 2
                guard probe >= 0 else { return 0..<high }
                other = keyWord(key(probe))
            }
            low = probe + 1
        }
        return low..<high
    }

    /// The checksum of a page with its place in a run in it, so that a page put elsewhere does not pass.
    func checksum(run: UInt64, number: Int) -> UInt32 {
        var seed = (run, UInt64(number))
        let start = patchbay_crc32c(0, &seed, 16)
        return patchbay_crc32c(start, base + 4, PageView.byteCount - 4)
    }

    var storedChecksum: UInt32 { base.loadUnaligned(as: UInt32.self) }

    /// Whether every slot leads to an entry inside the page, and every entry to a place that a file can have.
    var isSound: Bool {
        let slotsEnd = PageView.headerBytes + 2 * count
        guard count > 0, slotsEnd <= PageView.byteCount else { return false }
        for slot in 0..<count {
            let start = Int(
                base.loadUnaligned(fromByteOffset: PageView.headerBytes + 2 * slot, as: UInt16.self))
            guard start >= slotsEnd, start + PageView.entryBytes <= PageView.byteCount,
                start + PageView.entryBytes + key(slot).count <= PageView.byteCount, place(slot).isPossible
            else { return false }
        }
        return true
    }
}

/// The first eight bytes of a key as a number, zeros where it ends: where two differ, so do the keys, alike.
@inline(__always)
func keyWord(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    return key.isEmpty ? 0 : key.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - key.count))
}

/// Compares keys by their bytes: less than 0, 0, more than 0.
@inline(__always)
func compareKeys(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    var at = 0
    while at + 8 <= common {
        let leftWord = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let rightWord = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        if leftWord != rightWord { return leftWord < rightWord ? -1 : 1 }
        at += 8
    }
    while at < common {
        if left[at] != right[at] { return left[at] < right[at] ? -1 : 1 }
        at += 1
    }
    return left.count - right.count
}

// Unsafe: a page is read and written by address. It holds because its memory is `byteCount` long, positions in it come
// from its own slots, an entry is inserted only when there is room for it, and a page from disk is checked
// (``Page/isSound(asBranch:)``) before any other use.

import CChecksum
import PatchbayCore

/// 4,096 bytes of sorted index entries. The entries of a leaf lead to lines of the data file, those of a branch to the
/// pages below it, each by a key that is not after the first one there.
///
///     0       2        4
///     | count | lowest | slot 0 | slot 1 ...    free    ... entries |
///     entry: | offset 8 | length 4 | key length 2 | key |
///
/// Numbers are little-endian. A slot (2 bytes) is the start of an entry; the slots are sorted by their entries' keys,
/// while the entries themselves are in any order. In a branch, the offset is the number of the page below, and the
/// length is its checksum.
///
/// Safe, because the memory is its own, and a page is changed only while it has one owner (``Child/own(_:)``).
@safe final class Page: @unchecked Sendable {
    static let byteCount = 4096
    private static let headerBytes = 4
    private static let entryBytes = 14
    private static let usualSlotsEnd: Int64 = 384

    private let base: UnsafeMutableRawPointer
    /// The pages below, in the order of the entries; empty in a leaf.
    var children: [Child] = []

    init() {
        unsafe base = .allocate(byteCount: Page.byteCount, alignment: 8)
        clear()
    }

    /// Reads a page of a file; nil when the file ends before its end.
    init?(_ file: DiskFile, at offset: Int) throws {
        unsafe base = .allocate(byteCount: Page.byteCount, alignment: 8)
        let count = try unsafe file.read(Page.byteCount, at: offset, into: base)
        if count < Page.byteCount { return nil }
    }

    /// Creates a copy.
    init(_ page: Page) {
        unsafe base = .allocate(byteCount: Page.byteCount, alignment: 8)
        unsafe base.copyMemory(from: page.base, byteCount: Page.byteCount)
        children = page.children
    }

    deinit { unsafe base.deallocate() }

    func append(to buffer: ByteBuffer) {
        unsafe buffer.append(UnsafeRawBufferPointer(start: base, count: Page.byteCount))
    }
}

// MARK: - Reading

extension Page {
    var isLeaf: Bool { children.isEmpty }

    var count: Int { number(at: 0) }

    /// The offset of the lowest entry.
    private var lowest: Int { number(at: 2) }

    private func number(at offset: Int) -> Int {
        unsafe Int(UInt16(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    private func start(_ slot: Int) -> Int { number(at: Page.headerBytes + 2 * slot) }

    func place(_ slot: Int) -> Place {
        let start = start(slot)
        let offset = unsafe base.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        let length = unsafe base.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self)
        return Place(
            offset: Int(truncatingIfNeeded: UInt64(littleEndian: offset)),
            length: Int(UInt32(littleEndian: length)))
    }

    /// What follows a page on the way to a key.
    ///
    /// Safe, because the branch keeps the page below it.
    @safe enum Step {
        /// The end of the way: the place of the key, if there is one.
        case found(Place?)
        /// A page in memory.
        case below(Unmanaged<Page>)
        case onDemand(Child)
    }

    @inline(__always)
    func step(to key: UnsafeRawBufferPointer) -> Step {
        let (slot, isEqual) = unsafe position(of: key)
        if isLeaf { return .found(isEqual ? place(slot) : nil) }
        let below = isEqual ? slot : max(slot - 1, 0)
        guard let page = children[below].page else { return .onDemand(children[below]) }
        return unsafe .below(Unmanaged.passUnretained(page))
    }

    /// The pages below a branch.
    var references: some Collection<PageReference> { (0..<count).lazy.map { PageReference(self.place($0)) } }

    func key(_ slot: Int) -> UnsafeRawBufferPointer {
        let start = start(slot)
        return unsafe UnsafeRawBufferPointer(
            start: base + start + Page.entryBytes, count: number(at: start + 12))
    }

    /// The first slot whose key is not less than `key`, and whether it is that key.
    ///
    /// - Parameter isNew: whether the key is likely to come after all others, as those of new rows do.
    func position(of key: UnsafeRawBufferPointer, isNew: Bool = false) -> (slot: Int, isEqual: Bool) {
        // The slots of a usual page.
        unsafe patchbay_fetch_soon(base, Page.usualSlotsEnd)
        let count = count
        if isNew, count > 0, unsafe self.key(count - 1).precedes(key) { return (count, false) }
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            // One of these entries is visited after the present one, and the processor need not wait for it then.
            fetch((low + middle) / 2)
            fetch((middle + 1 + high) / 2)
            if unsafe self.key(middle).precedes(key) { low = middle + 1 } else { high = middle }
        }
        return unsafe (low, low < count && self.key(low).isEqual(to: key))
    }

    private func fetch(_ slot: Int) {
        if slot < count { unsafe patchbay_fetch_soon(base + start(slot), 1) }
    }

    /// The position of the page below where a key is or would be: the last one that starts at or before it.
    func childIndex(of key: UnsafeRawBufferPointer, isNew: Bool = false) -> Int {
        let (slot, isEqual) = unsafe position(of: key, isNew: isNew)
        return isEqual ? slot : max(slot - 1, 0)
    }

    var checksum: UInt32 { unsafe patchbay_crc32c(0, base, Page.byteCount) }

    /// Whether every slot leads to an entry inside the page, and every entry of a leaf to a possible place in a file.
    func isSound(asBranch isBranch: Bool) -> Bool {
        let slotsEnd = Page.headerBytes + 2 * count
        guard count > 0, slotsEnd <= lowest, lowest <= Page.byteCount else { return false }
        return (0..<count).allSatisfy { slot in
            let start = start(slot)
            guard start >= lowest, start + Page.entryBytes <= Page.byteCount else { return false }
            let keyBytes = unsafe key(slot).count
            return keyBytes <= Limits.keyBytes && start + Page.entryBytes + keyBytes <= Page.byteCount
                && (isBranch || place(slot).isPossible)
        }
    }
}

// MARK: - Changing

extension Page {
    private func clear() {
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: Page.byteCount)
        setHeader(count: 0, lowest: Page.byteCount)
    }

    private func set(_ number: Int, at offset: Int) {
        unsafe base.storeBytes(of: UInt16(number).littleEndian, toByteOffset: offset, as: UInt16.self)
    }

    private func setHeader(count: Int, lowest: Int) {
        set(count, at: 0)
        set(lowest, at: 2)
    }

    func setPlace(_ place: Place, at slot: Int) {
        let start = start(slot)
        unsafe base.storeBytes(
            of: UInt64(place.offset).littleEndian, toByteOffset: start, as: UInt64.self)
        unsafe base.storeBytes(
            of: UInt32(place.length).littleEndian, toByteOffset: start + 8, as: UInt32.self)
    }

    /// Inserts an entry before `slot`; false when there is no room.
    private func insert(_ key: UnsafeRawBufferPointer, _ place: Place, at slot: Int) -> Bool {
        let count = count, lowest = lowest - Page.entryBytes - key.count
        let slotStart = Page.headerBytes + 2 * slot
        guard lowest >= Page.headerBytes + 2 * (count + 1) else { return false }
        unsafe (base + slotStart + 2).copyMemory(from: base + slotStart, byteCount: 2 * (count - slot))
        set(lowest, at: slotStart)
        setHeader(count: count + 1, lowest: lowest)
        setPlace(place, at: slot)
        set(key.count, at: lowest + 12)
        if let start = key.baseAddress {
            unsafe (base + lowest + Page.entryBytes).copyMemory(from: start, byteCount: key.count)
        }
        return true
    }

    /// Inserts an entry, and in a branch the page it leads to, before `slot`.
    ///
    /// - Parameter isLast: whether the page is the last one of its level.
    /// - Returns: a new page with the upper entries when there was no room.
    func insert(
        _ key: UnsafeRawBufferPointer, _ place: Place, _ child: Child? = nil, at slot: Int, isLast: Bool
    ) -> Page? {
        if unsafe insert(key, place, at: slot) {
            if let child { children.insert(child, at: slot) }
            return nil
        }
        // After the last key a new page is started, so that ascending inserts leave full pages.
        let upper = isLast && slot == count ? Page() : split()
        let target = slot < count || (slot == count && upper.count > 0) ? self : upper
        let targetSlot = target === self ? slot : slot - count
        let fits = unsafe target.insert(key, place, at: targetSlot)
        assert(fits, "a page that was split has room")
        if let child { target.children.insert(child, at: targetSlot) }
        return upper
    }

    /// Moves the upper entries, about half of the bytes, to a new page.
    private func split() -> Page {
        let old = Page(self), upper = Page()
        clear()
        children = []
        var lowerBytes = 0
        for slot in 0..<old.count {
            let target = lowerBytes < Page.byteCount / 2 ? self : upper
            if target === self { unsafe lowerBytes += old.key(slot).count + Page.entryBytes + 2 }
            let fits = unsafe target.insert(old.key(slot), old.place(slot), at: target.count)
            assert(fits, "half a page fits a page")
            if !old.isLeaf { target.children.append(old.children[slot]) }
        }
        return upper
    }

    /// Removes an entry, and in a branch the page it leads to. The first entry of a branch keeps its key, which is not
    /// after any key below.
    func remove(at slot: Int) {
        if isLeaf { return removeEntry(at: slot) }
        removeEntry(at: slot == 0 && count > 1 ? 1 : slot)
        children.remove(at: slot)
    }

    private func removeEntry(at slot: Int) {
        let start = start(slot), byteCount = unsafe Page.entryBytes + key(slot).count
        let count = count, lowest = lowest, slotStart = Page.headerBytes + 2 * slot
        unsafe (base + lowest + byteCount).copyMemory(from: base + lowest, byteCount: start - lowest)
        unsafe (base + slotStart).copyMemory(
            from: base + slotStart + 2, byteCount: 2 * (count - slot - 1))
        setHeader(count: count - 1, lowest: lowest + byteCount)
        for slot in 0..<(count - 1) where self.start(slot) < start {
            set(self.start(slot) + byteCount, at: Page.headerBytes + 2 * slot)
        }
    }
}

/// The place of a line in its file, which an index entry leads to.
struct Place: Sendable, Equatable {
    var offset: Int
    /// With the newline.
    var length: Int

    var end: Int { offset + length }

    /// Whether a line can be here, so that arithmetic with the offset never overflows.
    var isPossible: Bool { (0..<(1 << 56)).contains(offset) && length <= Line.byteCountMax }
}

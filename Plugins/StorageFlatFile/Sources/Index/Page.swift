// Unsafe: a page is written by address. It holds because the memory is ``PageView/byteCount`` long, and an entry is
// inserted only when there is room for it and its slot.

/// A mutable page in memory. Pages are shared between snapshots, so an owner that is not the only one copies the page
/// before a change.
///
/// Safe, because the memory is its own.
@safe final class Page: @unchecked Sendable {
    // Sendable: only its single owner changes it.
    private let base: UnsafeMutableRawPointer

    init() {
        unsafe base = .allocate(byteCount: PageView.byteCount, alignment: 8)
        clear()
    }

    /// Reads a page of a file; nil when the file ends before its end.
    init?(_ file: DiskFile, at offset: Int) throws {
        unsafe base = .allocate(byteCount: PageView.byteCount, alignment: 8)
        let count = try unsafe file.read(PageView.byteCount, at: offset, into: base)
        if count < PageView.byteCount { return nil }
    }

    deinit { unsafe base.deallocate() }

    var view: PageView { unsafe PageView(base: base) }

    func clear() {
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: PageView.byteCount)
        setHeader(count: 0, lowest: PageView.byteCount)
    }

    func copy() -> Page {
        let page = Page()
        unsafe page.base.copyMemory(from: base, byteCount: PageView.byteCount)
        return page
    }

    private func setHeader(count: Int, lowest: Int) {
        unsafe base.storeBytes(of: UInt16(count), toByteOffset: 4, as: UInt16.self)
        unsafe base.storeBytes(of: UInt16(lowest), toByteOffset: 6, as: UInt16.self)
    }

    /// Inserts an entry before `slot`; false when there is no room.
    func insert(_ key: UnsafeRawBufferPointer, _ place: Place, at slot: Int) -> Bool {
        let count = view.count, lowest = view.lowest - PageView.entryBytes - key.count
        let slotStart = PageView.headerBytes + 2 * slot
        guard lowest >= PageView.headerBytes + 2 * (count + 1) else { return false }
        unsafe (base + slotStart + 2).copyMemory(from: base + slotStart, byteCount: 2 * (count - slot))
        unsafe base.storeBytes(of: UInt16(lowest), toByteOffset: slotStart, as: UInt16.self)
        setHeader(count: count + 1, lowest: lowest)
        setPlace(place, at: slot)
        unsafe base.storeBytes(of: UInt16(key.count), toByteOffset: lowest + 12, as: UInt16.self)
        if let start = key.baseAddress {
            unsafe (base + lowest + PageView.entryBytes).copyMemory(from: start, byteCount: key.count)
        }
        return true
    }

    func setPlace(_ place: Place, at slot: Int) {
        let entry = unsafe Int(
            base.loadUnaligned(fromByteOffset: PageView.headerBytes + 2 * slot, as: UInt16.self))
        unsafe base.storeBytes(of: UInt64(place.offset), toByteOffset: entry, as: UInt64.self)
        unsafe base.storeBytes(of: UInt32(place.length), toByteOffset: entry + 8, as: UInt32.self)
    }

    /// Moves the upper entries, about half of the bytes, to a new page.
    func split() -> Page {
        let old = copy(), upper = Page()
        clear()
        var lowerBytes = 0
        for slot in 0..<old.view.count {
            let target = lowerBytes < PageView.byteCount / 2 ? self : upper
            if target === self { unsafe lowerBytes += old.view.key(slot).count + PageView.entryBytes + 2 }
            let fits = unsafe target.insert(old.view.key(slot), old.view.place(slot), at: target.view.count)
            assert(fits, "half a page fits a page")
        }
        return upper
    }

    func seal(run: UInt64, number: Int) {
        unsafe base.storeBytes(of: view.checksum(run: run, number: number), as: UInt32.self)
    }

    func append(to buffer: ByteBuffer) {
        unsafe buffer.append(UnsafeRawBufferPointer(start: base, count: PageView.byteCount))
    }
}

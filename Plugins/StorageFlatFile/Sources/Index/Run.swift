import CChecksum
import PatchbayCore
import Synchronization

/// A sorted, immutable file of index entries. A small one is read and checked when it is opened; of a larger one each
/// page is read and checked when it is needed.
///
///     page 0 | page 1 | ...   4,096 bytes each (``PageView``)
///     fences                  each page's first key, preceded by its length (2 bytes)
///     trailer                 magic 8 | run number 8 | entries 8 | pages 4 | crc 4 (over fences and trailer)
final class Run: Sendable {
    static let magic: UInt64 = 0x314E_5552_4850_4250
    static let trailerBytes = 32
    /// Larger files stay on the disk.
    static let wholeBytesMax = 1 << 19

    let path: String
    let number: UInt64
    let entryCount: Int
    let byteCount: Int
    /// The trailer's checksum, by which a checkpoint recognises the file.
    let checksum: UInt32
    /// Each page's first key, which leads to the number of the page.
    let fences: Delta
    let pageCount: Int
    private let filter: KeyFilter?
    /// Nil when all pages are in memory.
    private let file: DiskFile?
    /// The pages of a small file; empty for a larger one.
    private let pages: [Page]
    private let damage = Atomic<Bool>(false)

    /// Whether a page was found damaged, so that the index must be rebuilt.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Opens a run; nil when the file is not a sound run.
    ///
    /// - Parameters:
    ///   - filter: the filter of its entries' sole parts, when it is known.
    ///   - bytesMax: the size up to which the whole file is read.
    init?(_ file: DiskFile, _ filter: KeyFilter? = nil, readingUpTo bytesMax: Int = Run.wholeBytesMax) throws
    {
        let byteCount = try file.byteCount()
        guard byteCount >= PageView.byteCount + Run.trailerBytes,
            let trailer = try file.read(Run.trailerBytes, at: byteCount - Run.trailerBytes)
        else { return nil }
        let number: UInt64 = trailer.number(at: 8), pageCount = Int(trailer.number(at: 24) as UInt32)
        let end = pageCount * PageView.byteCount
        guard trailer.number(at: 0) == Run.magic, pageCount > 0, end <= byteCount - Run.trailerBytes,
            let footer = try file.read(byteCount - end, at: end)
        else { return nil }
        checksum = footer.number(at: footer.count - 4)
        guard unsafe checksum == Run.checksum(footer.base, footer.count - 4),
            let fences = Run.fences(footer, pageCount)
        else { return nil }
        var pages: [Page] = []
        while byteCount <= bytesMax, pages.count < pageCount {
            guard let page = try Run.page(pages.count, of: number, in: file) else { return nil }
            pages.append(page)
        }
        path = file.path
        self.file = pages.isEmpty ? file : nil
        (self.number, self.byteCount, self.pageCount) = (number, byteCount, pageCount)
        (self.fences, self.pages, self.filter) = (fences, pages, filter)
        entryCount = Int(truncatingIfNeeded: trailer.number(at: 16) as UInt64)
    }

    /// The checksum over fences and trailer.
    static func checksum(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt32 {
        unsafe patchbay_crc32c(0, bytes, count)
    }

    /// The first keys at the start of the footer; nil when it contains anything else.
    private static func fences(_ footer: ByteBuffer, _ pageCount: Int) -> Delta? {
        var fences = Delta(), at = 0
        let end = footer.count - trailerBytes
        while at + 2 <= end {
            let count = Int(footer.number(at: at) as UInt16)
            at += 2
            guard count <= Limits.keyBytes, at + count <= end else { return nil }
            let key = unsafe UnsafeRawBufferPointer(start: footer.base + at, count: count)
            unsafe fences.append(key, Place(offset: fences.count, length: 1))
            at += count
        }
        return at == end && fences.count == pageCount ? fences : nil
    }

    /// Reads and checks a page; nil when it is damaged or missing.
    private static func page(_ index: Int, of number: UInt64, in file: DiskFile) throws -> Page? {
        guard let page = try Page(file, at: index * PageView.byteCount) else { return nil }
        let view = page.view
        return view.storedChecksum == view.checksum(run: number, number: index) && view.isSound ? page : nil
    }

    /// Whether an entry whose sole part has this hash may be here. The hash is nil for an entry without a sole part.
    @inline(__always)
    func mayHold(_ hash: UInt64?) -> Bool {
        guard let filter, let hash else { return true }
        return filter.mayHold(hash)
    }

    /// Returns a page, which was checked when it was read.
    func page(_ index: Int) throws -> Page {
        guard let file else { return pages[index] }
        if let page = try Run.page(index, of: number, in: file) { return page }
        damage.store(true, ordering: .relaxed)
        throw PatchbayError(
            .corrupted,
            "the index file \"\(path)\" is damaged; open the storage again for writing, "
                + "which rebuilds the index from the data",
            [.file(path), .byte(index * PageView.byteCount), .index("run \(number)")])
    }

    /// The number of the page where a key is or would be, which is the last one that starts at or before it.
    func pageNumber(of key: UnsafeRawBufferPointer) -> Int {
        let spot = unsafe fences.spot(of: key)
        if spot.isEqual { return fences.place(spot).offset }
        return spot.slot > 0 ? fences.place(Spot(page: spot.page, slot: spot.slot - 1)).offset : 0
    }

    /// The place that a key leads to, which may be ``Place/deleted``; nil when the key is not here.
    func find(_ key: UnsafeRawBufferPointer) throws -> Place? {
        let page = try unsafe page(pageNumber(of: key)), (slot, isEqual) = unsafe page.view.position(of: key)
        return withExtendedLifetime(page) { isEqual ? page.view.place(slot) : nil }
    }

    /// Whether an entry starts with these bytes.
    func holds(prefix: UnsafeRawBufferPointer) throws -> Bool {
        let number = unsafe pageNumber(of: prefix), page = try page(number)
        let (slot, _) = unsafe page.view.position(of: prefix)
        if slot < page.view.count {
            return withExtendedLifetime(page) { unsafe page.view.key(slot).starts(with: prefix) }
        }
        guard number + 1 < pageCount else { return false }
        let next = try self.page(number + 1)
        return withExtendedLifetime(next) { unsafe next.view.key(0).starts(with: prefix) }
    }

    /// The last entry's key.
    func lastKey() throws -> [UInt8] {
        let page = try page(pageCount - 1)
        return withExtendedLifetime(page) { page.view.copyKey(page.view.count - 1) }
    }
}

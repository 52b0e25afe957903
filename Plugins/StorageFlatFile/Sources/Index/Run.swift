// Unsafe: a large file is mapped. It holds because the file has exactly the mapped length when it is opened, no storage
// changes a run that is complete, and each page is checked before its first use.

import CChecksum
import PatchbayCore
import Synchronization

/// A sorted, immutable file of index entries, which is read into memory, or mapped when it is large. A storage that is
/// open for reading keeps the same bytes in memory only.
///
///     page 0 | page 1 | ...   4,096 bytes each (``PageView``)
///     fences                  each page's first key, preceded by its length (2 bytes)
///     trailer                 magic 8 | run number 8 | entries 8 | pages 4 | crc 4 (over fences and trailer)
final class Run: @unchecked Sendable {
    // Sendable: everything is constant except the marks of checked pages, which are atomic.
    static let magic: UInt64 = 0x314E_5552_4850_4250
    static let trailerBytes = 32
    /// Larger files are mapped.
    static let readBytesMax = 1 << 19

    let path: String
    let number: UInt64
    let entryCount: Int
    let byteCount: Int
    /// The trailer's checksum, by which a checkpoint recognises the file.
    let checksum: UInt32
    let fences: Fences
    private let filter: KeyFilter?
    private let base: UnsafeRawPointer
    /// The owner of the bytes; nil for a mapped file.
    private let memory: ByteBuffer?
    private let checkedPages: UnsafeMutablePointer<Atomic<UInt64>>
    private let damage = Atomic<Bool>(false)

    /// Whether a page was found damaged, so that the index must be rebuilt.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Whether the bytes are mapped, so that they are always those of the file.
    var isMapped: Bool { memory == nil }

    /// Whether the run is a file, not only in memory.
    let isFile: Bool

    var pageCount: Int { fences.count }

    /// Opens a run; nil when the file is not a sound run.
    ///
    /// - Parameters:
    ///   - filter: the filter of its entries' sole parts, when it is known.
    ///   - bytesMax: files up to this size are read, so that a program that truncates one does no harm.
    convenience init?(
        _ file: DiskFile, _ filter: KeyFilter? = nil, readingUpTo bytesMax: Int = Run.readBytesMax
    ) throws {
        let byteCount = try file.byteCount()
        guard byteCount >= PageView.byteCount + Run.trailerBytes else { return nil }
        if byteCount <= bytesMax {
            let memory = ByteBuffer(capacity: byteCount)
            memory.count = try file.read(byteCount, at: 0, into: memory.base)
            let bytes = UnsafeRawBufferPointer(start: memory.base, count: byteCount)
            guard memory.count == byteCount, let trailer = Trailer(bytes) else { return nil }
            self.init(bytes, memory, trailer, file.path, filter, isFile: true)
            return
        }
        let bytes = UnsafeRawBufferPointer(start: try file.map(byteCount), count: byteCount)
        guard let trailer = Trailer(bytes) else {
            DiskFile.unmap(bytes.baseAddress!, byteCount)
            return nil
        }
        self.init(bytes, nil, trailer, file.path, filter, isFile: true)
    }

    /// Creates a run from bytes that were written to memory.
    convenience init?(_ memory: ByteBuffer, _ number: UInt64, _ filter: KeyFilter?) {
        let bytes = UnsafeRawBufferPointer(start: memory.base, count: memory.count)
        guard let trailer = Trailer(bytes) else { return nil }
        self.init(bytes, memory, trailer, "\(FileName.run(number)) in memory", filter, isFile: false)
    }

    private init(
        _ bytes: UnsafeRawBufferPointer, _ memory: ByteBuffer?, _ trailer: Trailer, _ path: String,
        _ filter: KeyFilter?, isFile: Bool
    ) {
        self.path = path
        self.isFile = isFile
        self.filter = filter
        self.memory = memory
        base = bytes.baseAddress!
        byteCount = bytes.count
        number = trailer.number
        entryCount = trailer.entryCount
        checksum = trailer.checksum
        fences = trailer.fences
        let words = trailer.fences.count / 64 + 1
        checkedPages = .allocate(capacity: words)
        for word in 0..<words { (checkedPages + word).initialize(to: Atomic(0)) }
    }

    deinit {
        if memory == nil { DiskFile.unmap(base, byteCount) }
        checkedPages.deinitialize(count: fences.count / 64 + 1)
        checkedPages.deallocate()
    }

    /// Whether an entry whose sole part has this hash may be here. The hash is nil for an entry without a sole part.
    @inline(__always)
    func mayHold(_ hash: UInt64?) -> Bool {
        guard let filter, let hash else { return true }
        return filter.mayHold(hash)
    }

    /// Returns a page after checking it.
    func page(_ index: Int) throws -> PageView {
        let view = uncheckedPage(index)
        let mark: UInt64 = 1 << UInt64(index % 64)
        if checkedPages[index / 64].load(ordering: .relaxed) & mark != 0 { return view }
        guard isSound(index) else {
            damage.store(true, ordering: .relaxed)
            throw damaged(index)
        }
        checkedPages[index / 64].bitwiseOr(mark, ordering: .relaxed)
        return view
    }

    func spot(of key: UnsafeRawBufferPointer) throws -> Spot {
        let (page, part) = fences.page(of: key)
        let (slot, isEqual) = try self.page(page).position(of: key, near: part)
        return Spot(page: page, slot: slot, isEqual: isEqual)
    }

    /// The first entry that is not before a key; nil when there is none.
    func entry(from key: UnsafeRawBufferPointer) throws -> (view: PageView, slot: Int)? {
        let spot = try spot(of: key), view = try page(spot.page)
        if spot.slot < view.count { return (view, spot.slot) }
        return spot.page + 1 < pageCount ? (try page(spot.page + 1), 0) : nil
    }

    /// Whether an entry starts with these bytes.
    func holds(prefix: UnsafeRawBufferPointer) throws -> Bool {
        guard let (view, slot) = try entry(from: prefix) else { return false }
        return view.key(slot).starts(with: prefix)
    }

    /// The last entry's key.
    func lastKey() throws -> [UInt8] {
        let view = try page(pageCount - 1)
        return view.copyKey(view.count - 1)
    }

    func uncheckedPage(_ index: Int) -> PageView { PageView(base: base + index * PageView.byteCount) }

    /// Checks a page, even if it was checked before.
    func isSound(_ index: Int) -> Bool {
        let view = uncheckedPage(index)
        return view.storedChecksum == view.checksum(run: number, number: index) && view.isSound
    }

    /// The checksum over fences and trailer.
    static func checksum(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt32 {
        patchbay_crc32c(0, bytes, count)
    }

    /// Whether the bytes after the pages are unchanged.
    var hasSoundTrailer: Bool {
        Trailer(UnsafeRawBufferPointer(start: base, count: byteCount))?.checksum == checksum
    }

    /// Copies bytes of the run to another file.
    func write(_ range: Range<Int>, to file: DiskFile) throws {
        let bytes = UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        try file.write(bytes.bytes, at: range.lowerBound)
    }

    /// Checks every page, which is fast for a small file.
    func isWhole() -> Bool { (0..<pageCount).allSatisfy { (try? page($0)) != nil } }

    func damaged(_ index: Int) -> PatchbayError {
        PatchbayError(
            .corrupted,
            "the index file \"\(path)\" is damaged; open the storage again for writing, "
                + "which rebuilds the index from the data",
            ["file": path, "byte": String(index * PageView.byteCount), "index": "run \(number)"])
    }
}

/// The footer and trailer after the pages of a run.
private struct Trailer {
    var number: UInt64
    var entryCount: Int
    var checksum: UInt32
    var fences: Fences

    /// Nil when the checksum, the magic or a length is wrong.
    init?(_ file: UnsafeRawBufferPointer) {
        let trailer = UnsafeRawBufferPointer(rebasing: file[(file.count - Run.trailerBytes)...])
        let pages = Int(trailer.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
        let pagesEnd = pages * PageView.byteCount
        guard trailer.loadUnaligned(as: UInt64.self) == Run.magic, pages > 0,
            pagesEnd <= file.count - Run.trailerBytes
        else { return nil }
        number = trailer.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        entryCount = Int(truncatingIfNeeded: trailer.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        checksum = trailer.loadUnaligned(fromByteOffset: 28, as: UInt32.self)
        let covered = file.count - 4 - pagesEnd
        guard checksum == Run.checksum(file.baseAddress! + pagesEnd, covered) else { return nil }
        let footer = UnsafeRawBufferPointer(rebasing: file[pagesEnd..<(file.count - Run.trailerBytes)])
        guard let fences = Fences(footer, count: pages) else { return nil }
        self.fences = fences
    }
}

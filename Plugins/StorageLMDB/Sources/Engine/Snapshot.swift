import CLMDB
import PatchbayCore

/// The trees of data.mdb at one commit, read directly from the map.
///
/// LMDB's own search trusts every page, and a damaged one ends the process. This search checks each offset before it
/// follows it, and throws an error instead. LMDB still protects the pages of a snapshot from being reused.
struct Snapshot {
    /// A tree's first page and its counts.
    struct Root {
        static let recordBytes = 48
        /// The offset of the first page's number in the record.
        static let pageOffset = 40

        let page: UInt64
        let entryCount: Int
        let leafCount: Int

        /// Reads LMDB's record of a tree: leaves at byte 16, entries at 32, first page at 40.
        init(_ record: UnsafeRawBufferPointer) {
            leafCount = Int(truncatingIfNeeded: record.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
            entryCount = Int(truncatingIfNeeded: record.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
            page = record.loadUnaligned(fromByteOffset: Root.pageOffset, as: UInt64.self)
        }

        var isEmpty: Bool { page == .max }
    }

    /// The tree that contains the roots of all others.
    static let names = Tree("names", 1)

    /// More levels than any tree has.
    static let levelsMax = 32

    let number: UInt64
    let free: Root
    let main: Root
    /// The last page that the header counts.
    let lastPage: UInt64
    /// The pages that can be read.
    let pageCount: UInt64
    let pageBytes: Int
    let file: String
    private let map: UnsafeRawBufferPointer
    /// The environment keeps the map longer than any snapshot, and a counted reference would slow every read down.
    private let owner: Unmanaged<FileMap>

    /// Reads the header that a commit wrote; nil when a later commit has overwritten it.
    init?(number: UInt64, map: FileMap) throws {
        let start = Int(number & 1) * map.pageBytes
        let header = UnsafeRawBufferPointer(rebasing: map.bytes[start..<start + Header.bytesNeeded])
        guard header.loadUnaligned(fromByteOffset: 144, as: UInt64.self) == number else { return nil }
        free = Root(UnsafeRawBufferPointer(rebasing: header[40..<88]))
        main = Root(UnsafeRawBufferPointer(rebasing: header[88..<136]))
        lastPage = header.loadUnaligned(fromByteOffset: 136, as: UInt64.self)
        guard header.loadUnaligned(fromByteOffset: 144, as: UInt64.self) == number else { return nil }
        self.number = number
        self.map = map.bytes
        owner = .passUnretained(map)
        pageBytes = map.pageBytes
        file = map.file
        pageCount = UInt64(try map.pagesInside(file: lastPage &+ 1))
    }

    // MARK: Trees

    /// The root of a sub-database; nil when there is none.
    func root(named name: String) throws -> Root? {
        var name = name
        return try name.withUTF8 { bytes in
            guard let record = try find(UnsafeRawBufferPointer(bytes), in: Snapshot.names, main) else {
                return nil
            }
            guard record.count == Root.recordBytes else { throw damaged(main.page) }
            return Root(record)
        }
    }

    /// The sealed value under a key; nil when there is none.
    @inline(__always)
    func find(
        _ key: UnsafeRawBufferPointer, in tree: Tree, _ root: Root
    ) throws -> UnsafeRawBufferPointer? {
        if root.isEmpty { return nil }
        var number = root.page
        for _ in 0..<Snapshot.levelsMax {
            let page = try page(number)
            if !page.isLeaf {
                number = try child(page, try branchPlace(page, number, of: key, tree), number)
                continue
            }
            let place = try leafPlace(page, number, of: key, tree)
            guard place < page.count else { return nil }
            let found = try self.key(page, place, number, tree)
            if tree.precedes(key, found) { return nil }
            return try value(page, place, behind: found, number)
        }
        throw damaged(root.page)
    }

    // MARK: Pages

    /// Prefetches a page that will be read soon. Memory has a high latency but serves many requests at once; without
    /// this, the cache lines of a page would be requested one at a time.
    @inline(__always)
    func prefetch(_ number: UInt64) {
        guard number < pageCount else { return }
        patchbay_prefetch(map.baseAddress! + Int(truncatingIfNeeded: number) * pageBytes, Int64(pageBytes))
    }

    @inline(__always)
    func page(_ number: UInt64) throws -> Page {
        guard number < pageCount else { throw damaged(number) }
        let start = Int(truncatingIfNeeded: number) * pageBytes
        guard let page = Page(UnsafeRawBufferPointer(rebasing: map[start..<start + pageBytes])),
            page.count > 0
        else { throw damaged(number) }
        return page
    }

    /// The node of a branch that leads to a key: the last one that is not after it.
    @inline(__always)
    func branchPlace(_ page: Page, _ number: UInt64, of key: UnsafeRawBufferPointer, _ tree: Tree) throws
        -> Int
    {
        var low = 1, high = page.count
        while low < high {
            let middle = (low + high) / 2
            if tree.precedes(key, try self.key(page, middle, number, tree)) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low - 1
    }

    /// The first node of a leaf that is not before a key; the count when there is none.
    @inline(__always)
    func leafPlace(_ page: Page, _ number: UInt64, of key: UnsafeRawBufferPointer, _ tree: Tree) throws -> Int
    {
        var low = 0, high = page.count
        while low < high {
            let middle = (low + high) / 2
            if tree.precedes(try self.key(page, middle, number, tree), key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    @inline(__always)
    func child(_ page: Page, _ place: Int, _ number: UInt64) throws -> UInt64 {
        guard let child = page.child(place) else { throw damaged(number) }
        return child
    }

    @inline(__always)
    func key(_ page: Page, _ place: Int, _ number: UInt64, _ tree: Tree) throws -> UnsafeRawBufferPointer {
        guard let key = page.key(place), tree.hasIntegerKeys ? key.count == 8 : !key.isEmpty else {
            throw damaged(number)
        }
        return key
    }

    @inline(__always)
    func value(
        _ page: Page, _ place: Int, behind key: UnsafeRawBufferPointer, _ number: UInt64
    ) throws -> UnsafeRawBufferPointer {
        switch page.value(place, behind: key) {
        case .bytes(let bytes): return bytes
        case .large(let first, let count): return try largeValue(first, count)
        case nil: throw damaged(number)
        }
    }

    /// A value in its own consecutive pages.
    private func largeValue(_ first: UInt64, _ count: Int) throws -> UnsafeRawBufferPointer {
        _ = try largePages(first, count)
        let start = Int(truncatingIfNeeded: first) * pageBytes + Page.headerBytes
        return UnsafeRawBufferPointer(rebasing: map[start..<start + count])
    }

    /// The number of pages of a large value. The first page must agree: kind at byte 10, number of pages at byte 12.
    func largePages(_ first: UInt64, _ count: Int) throws -> Int {
        guard first < pageCount, count <= Limits.rowBytes + Tree.sealBytes else { throw damaged(first) }
        let start = Int(truncatingIfNeeded: first) * pageBytes
        let pages = (Page.headerBytes + count + pageBytes - 1) / pageBytes
        let kind = map.loadUnaligned(fromByteOffset: start + 10, as: UInt16.self)
        let stored = map.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self)
        guard kind == 4, stored == pages, UInt64(pages) <= pageCount - first else { throw damaged(first) }
        return pages
    }

    /// The bytes of some pages; nil when they are beyond the end of the file.
    func bytes(from first: UInt64, count: Int = 1) -> UnsafeRawBufferPointer? {
        guard first < pageCount, UInt64(count) <= pageCount - first else { return nil }
        let start = Int(truncatingIfNeeded: first) * pageBytes
        return UnsafeRawBufferPointer(rebasing: map[start..<start + count * pageBytes])
    }

    /// Releases pages from this process's memory; reading them maps them again.
    func giveBack(_ pages: ClosedRange<UInt64>) { owner._withUnsafeGuaranteedRef { $0.giveBack(pages) } }

    /// Records the pages that a long walk has touched.
    func hasWalked(_ walk: PageRelief) { owner._withUnsafeGuaranteedRef { $0.hasWalked(walk) } }

    func damaged(_ page: UInt64) -> PatchbayError {
        PatchbayError(
            .corrupted, "page \(page) of \"\(file)\" is damaged; restore the storage from a copy",
            [.file(file), .note("page", String(page))])
    }
}

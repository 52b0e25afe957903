import CChecksum
import PatchbayCore

/// The trees of data.mdb at one commit, read directly from the map.
///
/// LMDB's own search trusts every page, and a damaged one ends the process. This search checks each offset before it
/// follows it, and throws an error instead. LMDB still protects the pages of a snapshot from being reused.
///
/// Safe, because it checks each offset, and its transaction keeps the bytes in place.
@safe struct Snapshot {
    /// One entry of a tree: its key, and its value with the seal that `Transaction.payload` checks and removes.
    typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    /// More levels than any tree has.
    static let levelsMax = 32
    /// The part of a value that is fetched from memory at once; the processor itself foresees the rest.
    private static let fetchedBytesMax = 512

    /// The header that the commit wrote.
    let header: Header
    /// The pages that can be read.
    let pageCount: UInt64
    let pageBytes: Int
    let file: String
    /// The environment keeps the map longer than any snapshot.
    private let map: UnsafeRawBufferPointer

    /// Reads the header that a commit wrote; nil when a later commit has overwritten it.
    init?(number: UInt64, map: FileMap) throws {
        let start = Int(number & 1) * map.pageBytes
        let bytes = unsafe map.bytes.part(start..<start + Header.bytesNeeded)
        let header = unsafe Header(bytes)
        // A later commit may overwrite the header while it is read.
        let after = unsafe bytes.number(UInt64.self, at: Header.transactionOffset)
        guard header.transaction == number, after == number else { return nil }
        self.header = header
        unsafe self.map = unsafe map.bytes
        pageBytes = map.pageBytes
        file = map.file
        pageCount = UInt64(try map.pagesInside(file: header.lastPage &+ 1))
    }

    /// The number of the commit.
    var number: UInt64 { header.transaction }

    // MARK: Trees

    /// The root of a sub-database; nil when there is none.
    func root(named name: String) throws -> Root? {
        var name = name
        return try name.withUTF8 { bytes in
            guard let record = try unsafe find(UnsafeRawBufferPointer(bytes), in: Snapshot.names, header.main)
            else {
                return nil
            }
            guard record.count == Root.recordBytes else { throw damaged(header.main.page) }
            return unsafe Root(record)
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
                number = try unsafe child(page, try branchPlace(page, of: key, tree))
                continue
            }
            let place = try unsafe leafPlace(page, of: key, tree)
            guard place < page.count else { return nil }
            let found = try unsafe self.key(page, place, tree)
            if unsafe tree.precedes(key, found) { return nil }
            let value = try unsafe value(page, place, after: found)
            unsafe patchbay_fetch_soon(value.baseAddress, Int64(min(value.count, Snapshot.fetchedBytesMax)))
            return unsafe value
        }
        throw damaged(root.page)
    }

    // MARK: Pages

    @inline(__always)
    func page(_ number: UInt64) throws -> Page {
        guard number < pageCount else { throw damaged(number) }
        let start = Int(truncatingIfNeeded: number) * pageBytes
        guard let page = unsafe Page(number, map.part(start..<start + pageBytes)), page.count > 0 else {
            throw damaged(number)
        }
        return page
    }

    /// The bytes of a page, which are not read; none when there is no such page.
    func bytes(ofPage number: UInt64) -> UnsafeRawBufferPointer {
        guard number < pageCount else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        let start = Int(truncatingIfNeeded: number) * pageBytes
        return unsafe map.part(start..<start + pageBytes)
    }

    /// The node of a branch that leads to a key: the last one that is not after it.
    @inline(__always)
    func branchPlace(_ page: Page, of key: UnsafeRawBufferPointer, _ tree: Tree) throws -> Int {
        // The first key of a branch is ignored.
        try unsafe firstPlace(page, from: 1, tree) { unsafe tree.precedes(key, $0) } - 1
    }

    /// The first node of a leaf that is not before a key; the count when there is none.
    @inline(__always)
    func leafPlace(_ page: Page, of key: UnsafeRawBufferPointer, _ tree: Tree) throws -> Int {
        try unsafe firstPlace(page, from: 0, tree) { unsafe !tree.precedes($0, key) }
    }

    /// The first node whose key passes, as all later keys do; the count when there is none.
    @inline(__always)
    private func firstPlace(
        _ page: Page, from start: Int, _ tree: Tree, _ passes: (UnsafeRawBufferPointer) -> Bool
    ) throws -> Int {
        var low = start, high = page.count
        // All nodes, or those of which one is visited after the present one.
        if page.isShort { for place in low..<high { page.fetchNode(place) } }
        while low < high {
            let middle = (low + high) / 2
            if !page.isShort {
                page.fetchNode((low + middle) / 2)
                page.fetchNode((middle + 1 + high) / 2)
            }
            if unsafe passes(try key(page, middle, tree)) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    @inline(__always)
    func child(_ page: Page, _ place: Int) throws -> UInt64 {
        guard let child = page.child(place) else { throw damaged(page.number) }
        return child
    }

    @inline(__always)
    func key(_ page: Page, _ place: Int, _ tree: Tree) throws -> UnsafeRawBufferPointer {
        guard let key = unsafe page.key(place), unsafe tree.hasIntegerKeys ? key.count == 8 : !key.isEmpty
        else { throw damaged(page.number) }
        return unsafe key
    }

    @inline(__always)
    func value(
        _ page: Page, _ place: Int, after key: UnsafeRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        switch unsafe page.value(place, after: key) {
        case .bytes(let bytes): return unsafe bytes
        case .large(let first, let count): return try unsafe largeValue(first, count)
        case nil: throw damaged(page.number)
        }
    }

    /// Checks that a page has its own number, that every node is inside it, with the pages of a large value, and that
    /// the keys of a branch ascend. LMDB can then follow every node, and finds the same child as this code.
    func checkNodes(_ page: Page, _ tree: Tree) throws {
        guard page.statedNumber == page.number, page.isLeaf || page.count > 1 else {
            throw damaged(page.number)
        }
        for place in 0..<page.count {
            if page.isLeaf {
                _ = try unsafe value(page, place, after: try key(page, place, tree))
                guard tree.isNames || !page.isSubDatabase(place) else { throw damaged(page.number) }
            } else {
                let child = try child(page, place)
                guard child > 1, child < pageCount else { throw damaged(page.number) }
                // The first key of a branch is ignored.
                guard place > 0 else { continue }
                let key = try unsafe key(page, place, tree)
                guard try unsafe place == 1 || tree.precedes(self.key(page, place - 1, tree), key) else {
                    throw damaged(page.number)
                }
            }
        }
    }

    /// A value in its own consecutive pages. The first page must agree: its number, its kind at byte 10, and the number
    /// of pages at byte 12.
    private func largeValue(_ first: UInt64, _ count: Int) throws -> UnsafeRawBufferPointer {
        guard first < pageCount, count <= Limits.rowBytes + Tree.sealBytes else { throw damaged(first) }
        let start = Int(truncatingIfNeeded: first) * pageBytes, pages = largePageCount(count)
        let number = unsafe map.number(UInt64.self, at: start)
        let kind = unsafe map.number(UInt16.self, at: start + 10)
        let stored = unsafe map.number(UInt32.self, at: start + 12)
        guard number == first, kind == 4, stored == pages, UInt64(pages) <= pageCount - first else {
            throw damaged(first)
        }
        let bytes = start + Page.headerBytes
        return unsafe map.part(bytes..<bytes + count)
    }

    /// The number of pages of a large value.
    func largePageCount(_ count: Int) -> Int { (Page.headerBytes + count + pageBytes - 1) / pageBytes }

    func damaged(_ page: UInt64) -> PatchbayError {
        PatchbayError(
            .corrupted, "page \(page) of \"\(file)\" is damaged; restore the storage from a copy",
            [.file(file), .note("page", String(page))])
    }

    /// The error for an entry that was changed since it was written.
    func damaged(_ tree: Tree, _ key: UnsafeRawBufferPointer, _ fault: String) -> PatchbayError {
        PatchbayError(
            .corrupted, "an entry of \"\(tree.name)\" is damaged: \(fault); restore the storage from a copy",
            unsafe [.file(file), .key(tree.describe(key))])
    }
}

import PatchbayCore

/// Checks whole pages before LMDB's own code, which trusts them, reads them to change something.
///
/// The pages of a snapshot do not change until the transaction ends, so one check per transaction is enough.
final class PageCheck {
    private let snapshot: Snapshot
    private var sound: PageSet
    /// The leaves to which a path of sound pages leads.
    private var reached: PageSet
    /// Those whose neighbours are sound, too.
    private var surrounded: PageSet

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        sound = PageSet(below: snapshot.pageCount)
        reached = sound
        surrounded = sound
    }

    /// Checks the pages on the path to a key.
    ///
    /// - Parameter withNeighbours: whether to check the pages on both sides, too, where a search for the next key may
    ///   end and which a deletion may merge.
    func checkWay(
        to key: UnsafeRawBufferPointer, in tree: Tree, _ root: Root, withNeighbours: Bool
    ) throws {
        if root.isEmpty { return }
        var page = try soundPage(root.page, tree)
        for _ in 0..<Snapshot.levelsMax {
            if page.isLeaf { return }
            let place = try unsafe snapshot.branchPlace(page, of: key, tree)
            let child = try snapshot.child(page, place)
            // Do not read its bytes: LMDB has copied most of these pages by now, so they are not in the processor's
            // cache.
            if withNeighbours ? surrounded.contains(child) : reached.contains(child) { return }
            let next = try soundPage(child, tree)
            if next.isLeaf { _ = reached.insert(child) }
            if withNeighbours {
                // Down to the leaves next to those under this page.
                if place > 0 { try checkEdge(try snapshot.child(page, place - 1), tree) { $0.count - 1 } }
                if place + 1 < page.count {
                    try checkEdge(try snapshot.child(page, place + 1), tree) { _ in 0 }
                }
                if next.isLeaf { _ = surrounded.insert(child) }
            }
            page = next
        }
        throw snapshot.damaged(root.page)
    }

    /// Checks a page and those under the nodes that `place` selects, down to a leaf.
    private func checkEdge(_ first: UInt64, _ tree: Tree, _ place: (Page) -> Int) throws {
        var number = first
        for _ in 0..<Snapshot.levelsMax {
            let page = try soundPage(number, tree)
            if page.isLeaf { return }
            number = try snapshot.child(page, place(page))
        }
        throw snapshot.damaged(first)
    }

    /// Checks every page of a tree; a page that occurs twice is damage.
    func checkAll(of tree: Tree, _ root: Root) throws {
        guard !root.isEmpty else { return }
        var met = PageSet(below: snapshot.pageCount)
        var waiting = [root.page]
        while let number = waiting.popLast() {
            let page = try soundPage(number, tree)
            guard met.insert(number) else { throw snapshot.damaged(number) }
            if page.isLeaf { continue }
            for place in 0..<page.count { waiting.append(try snapshot.child(page, place)) }
        }
    }

    /// Checks the list of free pages, from which LMDB allocates.
    ///
    /// - Returns: the number of free pages at or after `first`.
    @discardableResult
    func checkFreeList(countingFrom first: UInt64 = 0) throws -> Int {
        try checkAll(of: Snapshot.freePages, snapshot.header.free)
        var met = PageSet(below: snapshot.header.lastPage + 1), count = 0
        try unsafe snapshot.forEach(in: Snapshot.freePages, snapshot.header.free) { list in
            for page in try unsafe snapshot.freePages(list.value) where page >= first && met.insert(page) {
                count += 1
            }
        }
        return count
    }

    private func soundPage(_ number: UInt64, _ tree: Tree) throws -> Page {
        let page = try snapshot.page(number)
        if sound.contains(number) { return page }
        try snapshot.checkNodes(page, tree)
        _ = sound.insert(number)
        return page
    }
}

/// A set of page numbers below a limit: a list of a few, or one bit for each page of a file, which may be large.
struct PageSet {
    private static let fewMax = 32
    private let limit: UInt64
    private var few: [UInt64] = []
    /// Empty while there are only a few pages.
    private var words: [UInt64] = []

    init(below count: UInt64) { limit = count }

    /// Returns whether the page was not in the set before. The page must be below the limit.
    @inline(__always)
    mutating func insert(_ page: UInt64) -> Bool {
        if words.isEmpty {
            if few.contains(page) { return false }
            few.append(page)
            if few.count > PageSet.fewMax { spread() }
            return true
        }
        let bit: UInt64 = 1 << (page % 64), word = Int(truncatingIfNeeded: page / 64)
        guard words[word] & bit == 0 else { return false }
        words[word] |= bit
        return true
    }

    private mutating func spread() {
        words = Array(repeating: 0, count: Int(clamping: limit / 64 + 1))
        for page in few { words[Int(truncatingIfNeeded: page / 64)] |= 1 << (page % 64) }
    }

    /// The page must be below the limit.
    @inline(__always)
    func contains(_ page: UInt64) -> Bool {
        if words.isEmpty { return few.contains(page) }
        return words[Int(truncatingIfNeeded: page / 64)] & (1 << (page % 64)) != 0
    }
}

import PatchbayCore

/// Checks whole pages before LMDB's own code, which trusts them, reads them to change something.
///
/// The pages of a snapshot do not change until the transaction ends, so one check per transaction is enough.
final class PageCheck {
    private let snapshot: Snapshot
    private let sound: PageSet
    /// Pages whose neighbours are sound too.
    private let surrounded: PageSet
    /// The leaves among these. A path that ends at one need not check it again.
    private let leaves: PageSet
    /// The leaves that the last paths in some trees led to. Plain memory, because every key that is written is compared
    /// with one.
    private let last: UnsafeMutablePointer<Leaf>
    private static let lastMax = 8

    /// The keys from `lower` up to, but not including, `upper`; nil means unbounded.
    private struct Leaf {
        var handle = UInt32.max
        var lower, upper: UnsafeRawBufferPointer?
        /// The number of consecutive paths in this tree before.
        var wayCount = 0
    }

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        sound = PageSet(below: snapshot.pageCount)
        surrounded = PageSet(below: snapshot.pageCount)
        leaves = PageSet(below: snapshot.pageCount)
        last = .allocate(capacity: PageCheck.lastMax)
        last.initialize(repeating: Leaf(), count: PageCheck.lastMax)
    }

    deinit { last.deallocate() }

    /// Checks the pages on the path to a key and their neighbours, where a search may end and which a deletion may
    /// merge.
    @inline(__always)
    func checkWay(to key: UnsafeRawBufferPointer, in tree: Tree, _ root: Snapshot.Root) throws {
        if root.isEmpty || isOnLastWay(key, tree) { return }
        try checkNewWay(to: key, in: tree, root)
    }

    /// Checks the path to the key's leaf. After as many paths as the tree has leaves, checking all its pages costs no
    /// more than as many paths again, so all are checked and no key needs a path any more.
    private func checkNewWay(to key: UnsafeRawBufferPointer, in tree: Tree, _ root: Snapshot.Root) throws {
        let before = last[PageCheck.place(tree)]
        var leaf = Leaf(handle: tree.handle)
        if before.handle == tree.handle { leaf.wayCount = before.wayCount + 1 }
        if leaf.wayCount > root.leafCount {
            try checkAll(of: tree, root)
        } else {
            try checkWay(to: key, in: tree, root, &leaf)
        }
        last[PageCheck.place(tree)] = leaf
    }

    private func checkWay(
        to key: UnsafeRawBufferPointer, in tree: Tree, _ root: Snapshot.Root, _ leaf: inout Leaf
    ) throws {
        var number = root.page
        var page = try soundPage(number, tree)
        for _ in 0..<Snapshot.levelsMax {
            if page.isLeaf { return }
            let place = try snapshot.branchPlace(page, number, of: key, tree)
            if place > 0 { leaf.lower = page.key(place) }
            if place + 1 < page.count { leaf.upper = page.key(place + 1) }
            let child = try snapshot.child(page, place, number)
            // Do not read its bytes: LMDB has copied most of these pages by now, so they are not in the processor's
            // cache.
            if leaves.contains(child) { return }
            let next = try soundPage(child, tree)
            if surrounded.insert(child) { try checkBeside(place, page, number, tree) }
            if next.isLeaf { _ = leaves.insert(child) }
            (number, page) = (child, next)
        }
        throw snapshot.damaged(root.page)
    }

    /// Whether the last path led to the key's leaf, so that it is already checked.
    @inline(__always)
    private func isOnLastWay(_ key: UnsafeRawBufferPointer, _ tree: Tree) -> Bool {
        let leaf = last[PageCheck.place(tree)]
        guard leaf.handle == tree.handle else { return false }
        if let lower = leaf.lower, tree.precedes(key, lower) { return false }
        return leaf.upper.map { tree.precedes(key, $0) } ?? true
    }

    @inline(__always)
    private static func place(_ tree: Tree) -> Int { Int(tree.handle) % lastMax }

    /// Checks the pages on both sides, down to the leaves next to those under this page.
    private func checkBeside(_ place: Int, _ page: Page, _ number: UInt64, _ tree: Tree) throws {
        if place > 0 {
            try checkEdge(try snapshot.child(page, place - 1, number), tree) { $0.count - 1 }
        }
        if place + 1 < page.count {
            try checkEdge(try snapshot.child(page, place + 1, number), tree) { _ in 0 }
        }
    }

    private func checkEdge(_ first: UInt64, _ tree: Tree, _ place: (Page) -> Int) throws {
        var number = first
        for _ in 0..<Snapshot.levelsMax {
            let page = try soundPage(number, tree)
            if page.isLeaf { return }
            number = try snapshot.child(page, place(page), number)
        }
        throw snapshot.damaged(first)
    }

    /// Checks every page of a tree; a page that occurs twice is damage.
    func checkAll(of tree: Tree, _ root: Snapshot.Root) throws {
        guard !root.isEmpty else { return }
        let met = PageSet(below: snapshot.pageCount)
        var waiting = [root.page]
        while let number = waiting.popLast() {
            let page = try soundPage(number, tree)
            guard met.insert(number) else { throw snapshot.damaged(number) }
            if page.isLeaf { continue }
            for place in 0..<page.count { waiting.append(try snapshot.child(page, place, number)) }
        }
    }

    /// Checks the list of free pages, from which LMDB allocates.
    ///
    /// - Returns: the number of free pages at or after `first`.
    @discardableResult
    func checkFreeList(countingFrom first: UInt64 = .max) throws -> Int {
        try checkAll(of: Snapshot.freePages, snapshot.free)
        var walk = PageWalk(snapshot, Snapshot.freePages)
        var entry = try walk.first(from: nil, snapshot.free)
        var pages: Set<UInt64> = []
        while let list = entry {
            pages.formUnion(try snapshot.freePages(list.value).filter { $0 >= first })
            entry = try walk.next()
        }
        return pages.count
    }

    @inline(__always)
    private func soundPage(_ number: UInt64, _ tree: Tree) throws -> Page {
        let page = try snapshot.page(number)
        if sound.insert(number) { try check(page, number, tree) }
        return page
    }

    private func check(_ page: Page, _ number: UInt64, _ tree: Tree) throws {
        if page.isLeaf {
            if page.holdsItsNodes(keyBytes: tree.hasIntegerKeys ? 8 : nil) { return }
            for place in 0..<page.count {
                let key = try snapshot.key(page, place, number, tree)
                _ = try snapshot.value(page, place, behind: key, number)
            }
            return
        }
        guard page.count > 1 else { throw snapshot.damaged(number) }
        for place in 0..<page.count {
            let child = try snapshot.child(page, place, number)
            guard child > 1, child < snapshot.pageCount else { throw snapshot.damaged(number) }
            if place > 0 { _ = try snapshot.key(page, place, number, tree) }
        }
    }
}

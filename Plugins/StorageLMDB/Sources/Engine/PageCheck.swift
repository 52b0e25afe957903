import PatchbayCore

/// Looks at whole pages before LMDB's own code, which trusts them, goes there to change something.
///
/// The pages of a snapshot stay as they are until the transaction ends, so one look a transaction is
/// enough.
final class PageCheck {
    private let snapshot: Snapshot
    private let sound: PageSet
    /// Pages whose neighbours are sound too.
    private let surrounded: PageSet
    /// Of these, the leaves: ways that end there, which need not look at them again.
    private let leaves: PageSet
    /// The leaves that the last ways in some trees led to; plain memory, because every key that is written is
    /// compared with one.
    private let last: UnsafeMutablePointer<Leaf>
    private static let lastMax = 8

    /// The keys from `lower` up to, but not including, `upper`; nil is open.
    private struct Leaf {
        var handle = UInt32.max
        var lower, upper: UnsafeRawBufferPointer?
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

    /// Checks the pages on the way to a key and those beside them, where a search may end and which a
    /// deletion may join.
    @inline(__always)
    func checkWay(to key: UnsafeRawBufferPointer, in tree: Tree, _ root: Snapshot.Root) throws {
        if root.isEmpty || isOnLastWay(key, tree) { return }
        try checkNewWay(to: key, in: tree, root)
    }

    private func checkNewWay(to key: UnsafeRawBufferPointer, in tree: Tree, _ root: Snapshot.Root) throws {
        var lower: UnsafeRawBufferPointer?, upper: UnsafeRawBufferPointer?
        var number = root.page
        var page = try soundPage(number, tree)
        for _ in 0..<Snapshot.levelsMax {
            if page.isLeaf {
                last[PageCheck.place(tree)] = Leaf(handle: tree.handle, lower: lower, upper: upper)
                return
            }
            let place = try snapshot.branchPlace(page, number, of: key, tree)
            if place > 0 { lower = page.key(place) }
            if place + 1 < page.count { upper = page.key(place + 1) }
            let child = try snapshot.child(page, place, number)
            // Without a look at its bytes: LMDB has a copy of most of these pages by now, so they are far away.
            if leaves.contains(child) {
                last[PageCheck.place(tree)] = Leaf(handle: tree.handle, lower: lower, upper: upper)
                return
            }
            let next = try soundPage(child, tree)
            if surrounded.insert(child) { try checkBeside(place, page, number, tree) }
            if next.isLeaf { _ = leaves.insert(child) }
            (number, page) = (child, next)
        }
        throw snapshot.damaged(root.page)
    }

    /// Whether the last way led to the key's leaf; then it is checked already.
    @inline(__always)
    private func isOnLastWay(_ key: UnsafeRawBufferPointer, _ tree: Tree) -> Bool {
        let leaf = last[PageCheck.place(tree)]
        guard leaf.handle == tree.handle else { return false }
        if let lower = leaf.lower, tree.precedes(key, lower) { return false }
        return leaf.upper.map { tree.precedes(key, $0) } ?? true
    }

    @inline(__always)
    private static func place(_ tree: Tree) -> Int { Int(tree.handle) % lastMax }

    private func checkBeside(_ place: Int, _ page: Page, _ number: UInt64, _ tree: Tree) throws {
        for beside in [place - 1, place + 1] where beside >= 0 && beside < page.count {
            _ = try soundPage(try snapshot.child(page, beside, number), tree)
        }
    }

    /// Checks every page of a tree; each must be met once.
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

    /// Checks the list of free pages, from which LMDB takes those that it writes.
    ///
    /// - Returns: how many of the free pages are not before `first`.
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

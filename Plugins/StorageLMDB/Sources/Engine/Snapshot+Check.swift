import PatchbayCore

/// LMDB's own code changes pages and trusts them; these look at a page whole before it does. A snapshot's pages stay as
/// they are until the transaction ends, so that one look a transaction is enough.
extension Snapshot {
    /// Checks the pages on the way to a key and those beside them, where a search may end and which a deletion may join.
    func checkSurroundings(
        of key: UnsafeRawBufferPointer, in tree: Tree, _ root: Root, _ checked: inout Set<UInt64>
    ) throws {
        guard !root.isEmpty else { return }
        var number = root.page
        for _ in 0..<Snapshot.levelsMax {
            let page = try checkedPage(number, tree, &checked)
            if page.isLeaf { return }
            let place = try branchPlace(page, number, of: key, tree)
            for beside in [place - 1, place + 1] where beside >= 0 && beside < page.count {
                _ = try checkedPage(try child(page, beside, number), tree, &checked)
            }
            number = try child(page, place, number)
        }
        throw damaged(root.page)
    }

    /// Checks every page of a tree.
    func checkAll(of tree: Tree, _ root: Root, _ checked: inout Set<UInt64>) throws {
        guard !root.isEmpty else { return }
        var waiting = [root.page]
        while let number = waiting.popLast() {
            guard !checked.contains(number) else { throw damaged(number) }
            let page = try checkedPage(number, tree, &checked)
            if page.isLeaf { continue }
            for place in 0..<page.count { waiting.append(try child(page, place, number)) }
        }
    }

    /// Checks the list of free pages, from which LMDB takes those that it writes.
    ///
    /// - Returns: how many of the free pages are not before `first`.
    @discardableResult
    func checkFreeList(countingFrom first: UInt64 = .max) throws -> Int {
        let tree = Tree("free pages", 0, hasIntegerKeys: true)
        var checked: Set<UInt64> = []
        try checkAll(of: tree, free, &checked)
        var walk = PageWalk(self, tree)
        var entry = try walk.first(from: nil, free)
        var pages: Set<UInt64> = []
        while let list = entry {
            // A count, then so many page numbers.
            let room = list.value.count / 8 - 1
            guard room >= 0, list.value.loadUnaligned(as: UInt64.self) <= UInt64(room) else { throw damaged(free.page) }
            for place in 0..<Int(list.value.loadUnaligned(as: UInt64.self)) {
                let page = list.value.loadUnaligned(fromByteOffset: 8 + 8 * place, as: UInt64.self)
                guard page > 1, page <= lastPage else { throw damaged(free.page) }
                if page >= first { pages.insert(page) }
            }
            entry = try walk.next()
        }
        return pages.count
    }

    private func checkedPage(_ number: UInt64, _ tree: Tree, _ checked: inout Set<UInt64>) throws -> Page {
        let page = try page(number)
        guard checked.insert(number).inserted else { return page }
        if page.isLeaf {
            for place in 0..<page.count {
                _ = try value(page, place, behind: try key(page, place, number, tree), number)
            }
        } else {
            guard page.count > 1 else { throw damaged(number) }
            for place in 0..<page.count {
                let child = try child(page, place, number)
                guard child > 1, child < pageCount else { throw damaged(number) }
                if place > 0 { _ = try key(page, place, number, tree) }
            }
        }
        return page
    }
}

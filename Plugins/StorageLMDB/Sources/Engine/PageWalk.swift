import PatchbayCore

/// Visits the entries of a tree in a snapshot, page by page.
struct PageWalk {
    private struct Place {
        let page: Page
        let number: UInt64
        var place: Int
    }

    private let snapshot: Snapshot
    private let tree: Tree
    /// The path down to the leaf, which is the last element.
    private var path: [Place] = []

    init(_ snapshot: Snapshot, _ tree: Tree) {
        self.snapshot = snapshot
        self.tree = tree
    }

    /// The first entry that is not before `bound`, or the first of all.
    mutating func first(from bound: UnsafeRawBufferPointer?, _ root: Root) throws -> Snapshot.Entry? {
        guard !root.isEmpty else { return nil }
        try unsafe descend(to: root.page, bound) { _ in 0 }
        return unsafe path[path.count - 1].place < path[path.count - 1].page.count ? try entry() : try next()
    }

    /// The last entry before `bound`, or the last of all.
    mutating func last(before bound: UnsafeRawBufferPointer?, _ root: Root) throws -> Snapshot.Entry? {
        guard !root.isEmpty else { return nil }
        try unsafe descend(to: root.page, bound) { $0.isLeaf ? $0.count : $0.count - 1 }
        return try unsafe previous()
    }

    @inline(__always)
    mutating func next() throws -> Snapshot.Entry? {
        path[path.count - 1].place += 1
        if path[path.count - 1].place >= path[path.count - 1].page.count {
            guard try moveToLeaf(1) else { return nil }
        }
        return unsafe try entry()
    }

    @inline(__always)
    mutating func previous() throws -> Snapshot.Entry? {
        path[path.count - 1].place -= 1
        if path[path.count - 1].place < 0 {
            guard try moveToLeaf(-1) else { return nil }
        }
        return unsafe try entry()
    }

    @inline(__always)
    private func entry() throws -> Snapshot.Entry {
        let leaf = path[path.count - 1]
        let key = try unsafe snapshot.key(leaf.page, leaf.place, leaf.number, tree)
        return unsafe (key, try snapshot.value(leaf.page, leaf.place, after: key, leaf.number))
    }

    /// Moves to the next leaf's first entry, or to the previous leaf's last.
    private mutating func moveToLeaf(_ step: Int) throws -> Bool {
        path.removeLast()
        while let branch = path.last {
            let place = branch.place + step
            if place >= 0, place < branch.page.count {
                path[path.count - 1].place = place
                let child = try snapshot.child(branch.page, place, branch.number)
                try unsafe descend(to: child, nil) { step > 0 ? 0 : $0.count - 1 }
                return true
            }
            path.removeLast()
        }
        return false
    }

    /// Descends from a page to the leaf that may have `bound`, or through the nodes that `choose` selects.
    private mutating func descend(
        to first: UInt64, _ bound: UnsafeRawBufferPointer?, _ choose: (Page) -> Int
    ) throws {
        path.reserveCapacity(8)
        var number = first
        while path.count < Snapshot.levelsMax {
            let page = try snapshot.page(number)
            var place = choose(page)
            if let bound = unsafe bound {
                place =
                    unsafe page.isLeaf
                    ? try snapshot.leafPlace(page, number, of: bound, tree)
                    : try snapshot.branchPlace(page, number, of: bound, tree)
            }
            path.append(Place(page: page, number: number, place: place))
            if page.isLeaf { return }
            number = try snapshot.child(page, place, number)
        }
        throw snapshot.damaged(first)
    }
}

extension Snapshot {
    /// Visits every entry of a tree.
    func forEach(in tree: Tree, _ root: Root, _ visit: (Entry) throws -> Void) throws {
        var walk = PageWalk(self, tree)
        var entry = try unsafe walk.first(from: nil, root)
        while let found = unsafe entry {
            try unsafe visit(found)
            unsafe entry = try unsafe walk.next()
        }
    }
}

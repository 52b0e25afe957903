import PatchbayCore

/// Visits the entries of a tree in a snapshot, page by page.
struct PageWalk {
    typealias Entry = Walk.Entry

    private struct Place {
        let page: Page
        let number: UInt64
        var place: Int
    }

    private let snapshot: Snapshot
    private let tree: Tree
    private let isReadingAhead: Bool
    /// The path down to the leaf, which is the last element.
    private var path: [Place] = []
    private var relief = PageRelief()

    /// - Parameter isReadingAhead: whether the walk will read most leaves completely, as one over rows does.
    init(_ snapshot: Snapshot, _ tree: Tree, isReadingAhead: Bool = false) {
        self.snapshot = snapshot
        self.tree = tree
        self.isReadingAhead = isReadingAhead
    }

    /// The first entry that is not before `bound`, or the first of all.
    mutating func first(from bound: UnsafeRawBufferPointer?, _ root: Snapshot.Root) throws -> Entry? {
        guard !root.isEmpty else { return nil }
        path.reserveCapacity(8)
        try descend(to: root.page) { snapshot, page, number, tree in
            guard let bound else { return 0 }
            return page.isLeaf
                ? try snapshot.leafPlace(page, number, of: bound, tree)
                : try snapshot.branchPlace(page, number, of: bound, tree)
        }
        readAhead(1, isFirst: true)
        return path[path.count - 1].place < path[path.count - 1].page.count ? try entry() : try next()
    }

    /// The last entry before `bound`, or the last of all.
    mutating func last(before bound: UnsafeRawBufferPointer?, _ root: Snapshot.Root) throws -> Entry? {
        guard !root.isEmpty else { return nil }
        path.reserveCapacity(8)
        try descend(to: root.page) { snapshot, page, number, tree in
            guard let bound else { return page.isLeaf ? page.count : page.count - 1 }
            return page.isLeaf
                ? try snapshot.leafPlace(page, number, of: bound, tree)
                : try snapshot.branchPlace(page, number, of: bound, tree)
        }
        readAhead(-1, isFirst: true)
        return try previous()
    }

    func end() { relief.end(in: snapshot) }

    @inline(__always)
    mutating func next() throws -> Entry? {
        path[path.count - 1].place += 1
        if path[path.count - 1].place >= path[path.count - 1].page.count {
            guard try moveToLeaf(1) else { return nil }
        }
        return try entry()
    }

    @inline(__always)
    mutating func previous() throws -> Entry? {
        path[path.count - 1].place -= 1
        if path[path.count - 1].place < 0 {
            guard try moveToLeaf(-1) else { return nil }
        }
        return try entry()
    }

    @inline(__always)
    private func entry() throws -> Entry {
        let leaf = path[path.count - 1]
        let key = try snapshot.key(leaf.page, leaf.place, leaf.number, tree)
        return Entry(key: key, value: try snapshot.value(leaf.page, leaf.place, behind: key, leaf.number))
    }

    /// Moves to the next leaf's first entry, or to the previous leaf's last.
    private mutating func moveToLeaf(_ step: Int) throws -> Bool {
        path.removeLast()
        while let branch = path.last {
            let place = branch.place + step
            if place >= 0, place < branch.page.count {
                path[path.count - 1].place = place
                let child = try snapshot.child(branch.page, place, branch.number)
                relief.touches(child, of: snapshot)
                try descend(to: child) { _, page, _, _ in step > 0 ? 0 : page.count - 1 }
                readAhead(step)
                return true
            }
            path.removeLast()
        }
        return false
    }

    /// Prefetches the next leaf under the same branch.
    private func readAhead(_ step: Int, isFirst: Bool = false) {
        guard isReadingAhead else { return }
        if isFirst { snapshot.prefetch(path[path.count - 1].number) }
        guard path.count > 1 else { return }
        let branch = path[path.count - 2], place = branch.place + step
        guard place >= 0, place < branch.page.count, let child = branch.page.child(place) else { return }
        snapshot.prefetch(child)
    }

    /// Descends from a page to a leaf, through the node that `choose` selects on each page.
    private mutating func descend(
        to first: UInt64, _ choose: (Snapshot, Page, UInt64, Tree) throws -> Int
    ) throws {
        var number = first
        while path.count < Snapshot.levelsMax {
            let page = try snapshot.page(number)
            let place = try choose(snapshot, page, number, tree)
            path.append(Place(page: page, number: number, place: place))
            if page.isLeaf { return }
            number = try snapshot.child(page, place, number)
        }
        throw snapshot.damaged(first)
    }
}

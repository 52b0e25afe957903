import CChecksum
import PatchbayCore

/// Visits a range of a tree's keys: in the snapshot, or, when the transaction has changed the tree, through LMDB, which
/// then searches for each entry, so that the tree may change between two of them.
///
///     var walk = try Walk(transaction, tree, range, order: .ascending)
///     while let entry = try walk.next() { ... }
///
/// Safe, because its transaction keeps the bytes in place; an entry is used before the next step.
@safe struct Walk {
    private struct Place {
        let page: Page
        var place: Int
    }

    private let snapshot: Snapshot
    let tree: Tree
    private let root: Root?
    private let order: Query.Order
    /// The rest of the range in a changed tree; all of it in the snapshot.
    private var range: KeyRange
    /// Whether the walk visits every entry of the tree.
    let isOverAll: Bool
    /// Nil when the tree cannot change.
    private var transaction: Transaction?
    /// The changes of the tree before the walk.
    private var changeCount = 0
    /// The path down to the leaf, which is the last element.
    private var path: [Place] = []
    private var visited = 0
    /// The previous key in the snapshot, whose bytes do not move.
    private var previous: UnsafeRawBufferPointer?
    /// The rest of the leaf after this one, which is fetched from memory while the rows of this one are visited; and
    /// the part of it for each of them.
    private var ahead = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private var partAhead = 0
    /// The number of entries after which a walk fetches ahead, because shorter ones seldom need the next leaf.
    private static let shortWalk = 64

    /// - Parameter range: a range of encoded keys that is not empty.
    init(
        _ transaction: Transaction, _ tree: Tree, _ range: KeyRange = KeyRange(), order: Query.Order
    ) throws {
        self.init(transaction.snapshot, tree, try transaction.root(tree), range, order: order)
        self.transaction = transaction
        changeCount = transaction.changeCount(tree)
    }

    /// A walk along a tree of a snapshot, by default over all of it.
    init(
        _ snapshot: Snapshot, _ tree: Tree, _ root: Root?, _ range: KeyRange = KeyRange(),
        order: Query.Order = .ascending
    ) {
        self.snapshot = snapshot
        self.tree = tree
        self.root = root
        self.range = tree.stored(range)
        self.order = order
        isOverAll = range == KeyRange()
    }

    /// Returns the next entry; nil after the last one of the range. It must not be called again after nil.
    ///
    /// - Throws: `corrupted` when keys are out of order, or their number is not the tree's count.
    mutating func next() throws -> Snapshot.Entry? {
        guard let entry = unsafe changeCount > 0 ? try nextOfChanged() : try nextOfPages() else {
            try checkCount()
            return nil
        }
        guard unsafe isInRange(entry.key) else { return nil }
        visited += 1
        return unsafe entry
    }

    @inline(__always)
    private func isInRange(_ key: UnsafeRawBufferPointer) -> Bool {
        switch order {
        case .ascending:
            guard let upper = range.upper else { return true }
            return unsafe upper.withUnsafeBytes { unsafe tree.precedes(key, $0) }
        case .descending:
            return unsafe range.lower.isEmpty
                || range.lower.withUnsafeBytes { unsafe !tree.precedes(key, $0) }
        }
    }

    /// Checks that a walk over everything has visited as many entries as the tree counts, unless it was changed
    /// meanwhile.
    private func checkCount() throws {
        guard isOverAll, transaction?.changeCount(tree) ?? 0 == changeCount else { return }
        let count = try transaction?.entryCount(tree) ?? root?.entryCount ?? 0
        if visited == count { return }
        throw PatchbayError(
            .corrupted,
            "\"\(tree.name)\" has \(visited) entries but counts \(count); restore the storage from a copy",
            [.file(snapshot.file)])
    }

    private mutating func nextOfChanged() throws -> Snapshot.Entry? {
        let entry: Snapshot.Entry?
        switch order {
        case .ascending:
            unsafe entry = try unsafe transaction?.first(from: range.lower, isAfter: visited > 0, in: tree)
            if let entry = unsafe entry { range.lower = unsafe [UInt8](entry.key) }
        case .descending:
            unsafe entry = try unsafe transaction?.last(before: range.upper, in: tree)
            if let entry = unsafe entry { range.upper = unsafe [UInt8](entry.key) }
        }
        return unsafe entry
    }

    // MARK: Pages

    @inline(__always)
    private mutating func nextOfPages() throws -> Snapshot.Entry? {
        guard try path.isEmpty ? descendToRange() : step() else { return nil }
        let leaf = path[path.count - 1]
        if unsafe ahead.count > 0 { fetchAhead() }
        let key = try unsafe snapshot.key(leaf.page, leaf.place, tree)
        if let previous = unsafe previous {
            let isInOrder =
                unsafe order == .ascending ? tree.precedes(previous, key) : tree.precedes(key, previous)
            guard isInOrder else { throw unsafe snapshot.damaged(tree, key, "its key is out of order") }
        }
        unsafe previous = unsafe key
        return unsafe (key, try snapshot.value(leaf.page, leaf.place, after: key))
    }

    /// Moves to the next entry in the order, in this leaf or the next one; false when there is none.
    private mutating func step() throws -> Bool {
        let direction = order == .ascending ? 1 : -1
        while let last = path.last {
            let place = last.place + direction
            if place >= 0, place < last.page.count {
                path[path.count - 1].place = place
                if last.page.isLeaf { return true }
                try descend(to: try snapshot.child(last.page, place), nil) {
                    direction > 0 ? 0 : $0.count - 1
                }
                if visited > Walk.shortWalk { prepareAhead(in: last.page, place + direction) }
                return true
            }
            path.removeLast()
        }
        return false
    }

    /// Finds the leaf under a node of a branch, which follows the leaf that the walk has reached.
    private mutating func prepareAhead(in branch: Page, _ place: Int) {
        guard place >= 0, place < branch.count, let leaf = path.last?.page, leaf.isLeaf,
            let next = branch.child(place)
        else { return }
        unsafe ahead = unsafe snapshot.bytes(ofPage: next)
        // Whole lines of the processor's cache.
        partAhead = (snapshot.pageBytes / leaf.count + 63) & ~63
    }

    private mutating func fetchAhead() {
        let count = unsafe min(partAhead, ahead.count)
        unsafe patchbay_fetch_soon(ahead.baseAddress, Int64(count))
        unsafe ahead = unsafe UnsafeRawBufferPointer(rebasing: ahead[count...])
    }

    /// Moves to the first entry of the range in the order; false when there is none.
    private mutating func descendToRange() throws -> Bool {
        guard let root, !root.isEmpty else { return false }
        path.reserveCapacity(8)
        switch order {
        case .ascending:
            try descend(to: root.page, range.lower.isEmpty ? nil : range.lower) { _ in 0 }
            path[path.count - 1].place -= 1
        case .descending:
            try descend(to: root.page, range.upper) { $0.isLeaf ? $0.count : $0.count - 1 }
        }
        // The path leads to the place before the first entry.
        return try step()
    }

    /// Descends from a page to the leaf that may have `bound`, or through the nodes that `choose` selects.
    private mutating func descend(
        to first: UInt64, _ bound: [UInt8]?, _ choose: (Page) -> Int
    ) throws {
        var number = first
        while path.count < Snapshot.levelsMax {
            let page = try snapshot.page(number)
            let place = try unsafe bound?.withUnsafeBytes { bound in
                try unsafe page.isLeaf
                    ? snapshot.leafPlace(page, of: bound, tree) : snapshot.branchPlace(page, of: bound, tree)
            }
            path.append(Place(page: page, place: place ?? choose(page)))
            if page.isLeaf { return }
            number = try snapshot.child(page, path[path.count - 1].place)
        }
        throw snapshot.damaged(first)
    }
}

extension Snapshot {
    /// Visits every entry of a tree.
    func forEach(in tree: Tree, _ root: Root, _ visit: (Entry) throws -> Void) throws {
        var walk = Walk(self, tree, root)
        while let entry = try unsafe walk.next() { try unsafe visit(entry) }
    }
}

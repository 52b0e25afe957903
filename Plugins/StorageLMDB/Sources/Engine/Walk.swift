import PatchbayCore

/// Visits a range of a tree's keys: in the snapshot, or, when the transaction has changed the tree, through LMDB, which
/// then searches for each entry, so that the tree may change between two of them.
///
///     var walk = try Walk(transaction, tree, range, order: .ascending)
///     while let entry = try walk.next() { ... }
///
/// Safe, because its transaction keeps the bytes in place; an entry is used before the next step.
@safe struct Walk {
    private let transaction: Transaction
    private let tree: Tree
    private let root: Root?
    /// The changes of the tree before the walk.
    private let changeCount: Int
    private let range: KeyRange
    private let order: Query.Order
    private var pages: PageWalk
    private var isPlaced = false
    private var visited = 0
    /// The previous key: in the snapshot, whose bytes do not move, or a copy.
    private var previous: UnsafeRawBufferPointer?
    private var previousCopy: [UInt8]?

    /// - Parameter range: a range of encoded keys that is not empty.
    init(
        _ transaction: Transaction, _ tree: Tree, _ range: KeyRange = KeyRange(), order: Query.Order
    ) throws {
        self.transaction = transaction
        self.tree = tree
        self.range = tree.stored(range)
        self.order = order
        root = try transaction.root(tree)
        changeCount = transaction.changeCount(tree)
        pages = PageWalk(transaction.snapshot, tree)
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
        guard range.lower.isEmpty, range.upper == nil, transaction.changeCount(tree) == changeCount else {
            return
        }
        let count = try transaction.entryCount(tree)
        if visited == count { return }
        throw PatchbayError(
            .corrupted,
            "\"\(tree.name)\" has \(visited) entries but counts \(count); restore the storage from a copy",
            [.file(transaction.environment.path + "/data.mdb")])
    }

    @inline(__always)
    private mutating func nextOfPages() throws -> Snapshot.Entry? {
        guard let root else { return nil }
        let entry: Snapshot.Entry?
        if isPlaced {
            unsafe entry = unsafe order == .ascending ? try pages.next() : try pages.previous()
        } else {
            unsafe entry = try unsafe placePages(root)
            isPlaced = true
        }
        guard let entry = unsafe entry else { return nil }
        if let previous = unsafe previous {
            let isInOrder =
                unsafe order == .ascending
                ? tree.precedes(previous, entry.key) : tree.precedes(entry.key, previous)
            guard isInOrder else {
                throw unsafe transaction.damaged(tree, entry.key, "its key is out of order")
            }
        }
        unsafe previous = unsafe entry.key
        return unsafe entry
    }

    private mutating func placePages(_ root: Root) throws -> Snapshot.Entry? {
        switch order {
        case .ascending:
            if range.lower.isEmpty { return try unsafe pages.first(from: nil, root) }
            return try unsafe range.lower.withUnsafeBytes { try unsafe pages.first(from: $0, root) }
        case .descending:
            guard let upper = range.upper else { return try unsafe pages.last(before: nil, root) }
            return try unsafe upper.withUnsafeBytes { try unsafe pages.last(before: $0, root) }
        }
    }

    private mutating func nextOfChanged() throws -> Snapshot.Entry? {
        let entry: Snapshot.Entry?
        switch order {
        case .ascending:
            unsafe entry = try unsafe transaction.first(
                from: previousCopy ?? range.lower, isAfter: previousCopy != nil, in: tree)
        case .descending:
            unsafe entry = try unsafe transaction.last(before: previousCopy ?? range.upper, in: tree)
        }
        previousCopy = unsafe entry.map { unsafe [UInt8]($0.key) }
        return unsafe entry
    }
}

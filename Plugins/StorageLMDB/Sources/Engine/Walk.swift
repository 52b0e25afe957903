import PatchbayCore

/// Visits a range of a tree's keys: in the snapshot, or, when the transaction has changed the tree, through LMDB, which
/// then searches for each entry, so that the tree may change between two of them.
///
///     var walk = try Walk(transaction, tree, range, order: .ascending)
///     while let entry = try walk.next() { ... }
struct Walk {
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
        guard let entry = changeCount > 0 ? try nextOfChanged() : try nextOfPages() else {
            try checkCount()
            return nil
        }
        guard isInRange(entry.key) else { return nil }
        visited += 1
        return entry
    }

    @inline(__always)
    private func isInRange(_ key: UnsafeRawBufferPointer) -> Bool {
        switch order {
        case .ascending:
            guard let upper = range.upper else { return true }
            return upper.withUnsafeBytes { tree.precedes(key, $0) }
        case .descending:
            return range.lower.isEmpty || range.lower.withUnsafeBytes { !tree.precedes(key, $0) }
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
            entry = order == .ascending ? try pages.next() : try pages.previous()
        } else {
            entry = try placePages(root)
            isPlaced = true
        }
        guard let entry else { return nil }
        if let previous {
            let isInOrder =
                order == .ascending ? tree.precedes(previous, entry.key) : tree.precedes(entry.key, previous)
            guard isInOrder else { throw transaction.damaged(tree, entry.key, "its key is out of order") }
        }
        previous = entry.key
        return entry
    }

    private mutating func placePages(_ root: Root) throws -> Snapshot.Entry? {
        switch order {
        case .ascending:
            if range.lower.isEmpty { return try pages.first(from: nil, root) }
            return try range.lower.withUnsafeBytes { try pages.first(from: $0, root) }
        case .descending:
            guard let upper = range.upper else { return try pages.last(before: nil, root) }
            return try upper.withUnsafeBytes { try pages.last(before: $0, root) }
        }
    }

    private mutating func nextOfChanged() throws -> Snapshot.Entry? {
        let entry: Snapshot.Entry?
        switch order {
        case .ascending:
            entry = try transaction.first(
                from: previousCopy ?? range.lower, isAfter: previousCopy != nil, in: tree)
        case .descending: entry = try transaction.last(before: previousCopy ?? range.upper, in: tree)
        }
        previousCopy = entry.map { [UInt8]($0.key) }
        return entry
    }
}

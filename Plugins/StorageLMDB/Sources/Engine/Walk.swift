import CLMDB
import PatchbayCore

/// Visits a range of a tree's keys: in the snapshot, or with LMDB's cursor when the transaction has changed the tree.
///
///     var walk = try Walk(transaction, tree, range, order: .ascending)
///     defer { walk.end() }
///     while let entry = try walk.next() { ... }
struct Walk {
    struct Entry {
        let key: UnsafeRawBufferPointer
        /// The sealed value; `Transaction.payload` checks and removes the seal.
        let value: UnsafeRawBufferPointer
    }

    private let transaction: Transaction
    private let tree: Tree
    private let root: Snapshot.Root?
    private let range: KeyRange
    private let order: Query.Order
    private var pages: PageWalk
    /// LMDB's cursor, for a changed tree.
    private let cursor: OpaquePointer?
    private var isPlaced = false
    private var visited = 0
    /// The previous key; only in a snapshot, whose bytes do not move.
    private var previous: UnsafeRawBufferPointer?

    /// - Parameters:
    ///   - range: a range of encoded keys that is not empty.
    ///   - isReadingAhead: whether most of the leaves' bytes will be read.
    init(
        _ transaction: Transaction, _ tree: Tree, _ range: KeyRange = KeyRange(), order: Query.Order,
        isReadingAhead: Bool = false
    ) throws {
        self.transaction = transaction
        self.tree = tree
        self.range = tree.stored(range)
        self.order = order
        root = try transaction.root(tree)
        cursor = transaction.hasChanged(tree) ? try transaction.takeCursor(tree) : nil
        pages = PageWalk(transaction.snapshot, tree, isReadingAhead: isReadingAhead)
    }

    func end() {
        pages.end()
        if let cursor { transaction.giveBack(cursor, of: tree) }
    }

    /// Returns the next entry; nil after the last one of the range. It must not be called again after nil.
    ///
    /// - Throws: `corrupted` when keys are out of order, or their number is not the tree's count.
    mutating func next() throws -> Entry? {
        let entry = try cursor.map { try nextOfCursor($0) } ?? nextOfPages()
        isPlaced = true
        guard let entry else {
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

    /// A walk over everything must visit as many entries as the tree counts.
    private func checkCount() throws {
        guard range.lower.isEmpty, range.upper == nil else { return }
        let count = try transaction.entryCount(tree)
        guard visited == count else {
            throw PatchbayError(
                .corrupted,
                "\"\(tree.name)\" has \(visited) entries but counts \(count); "
                    + "restore the storage from a copy",
                [.file(transaction.environment.path + "/data.mdb")])
        }
    }

    // MARK: In the snapshot

    @inline(__always)
    private mutating func nextOfPages() throws -> Entry? {
        guard let root else { return nil }
        let entry: Entry?
        if isPlaced {
            entry = order == .ascending ? try pages.next() : try pages.previous()
        } else {
            entry = try placePages(root)
        }
        if let entry { try checkOrder(entry.key) }
        return entry
    }

    private mutating func placePages(_ root: Snapshot.Root) throws -> Entry? {
        switch order {
        case .ascending:
            if range.lower.isEmpty { return try pages.first(from: nil, root) }
            return try range.lower.withUnsafeBytes { try pages.first(from: $0, root) }
        case .descending:
            guard let upper = range.upper else { return try pages.last(before: nil, root) }
            return try upper.withUnsafeBytes { try pages.last(before: $0, root) }
        }
    }

    @inline(__always)
    private mutating func checkOrder(_ key: UnsafeRawBufferPointer) throws {
        if let previous {
            let isInOrder = order == .ascending ? tree.precedes(previous, key) : tree.precedes(key, previous)
            guard isInOrder else { throw transaction.damaged(tree, key, "its key is out of order") }
        }
        previous = key
    }

    // MARK: In a changed tree

    /// LMDB trusts the pages it visits, so those around each entry are checked before the cursor leaves it.
    private func nextOfCursor(_ cursor: OpaquePointer) throws -> Entry? {
        var key = MDB_val(), value = MDB_val()
        let code =
            isPlaced
            ? mdb_cursor_get(cursor, &key, &value, order == .ascending ? MDB_NEXT : MDB_PREV)
            : try place(cursor, &key, &value)
        if code == MDB_NOTFOUND { return nil }
        try transaction.environment.check(code, "read")
        try transaction.checkWay(to: key.bytes, in: tree)
        return Entry(key: key.bytes, value: value.bytes)
    }

    private func place(_ cursor: OpaquePointer, _ key: inout MDB_val, _ value: inout MDB_val) throws -> Int32
    {
        switch order {
        case .ascending:
            let lower = range.lower.isEmpty ? tree.lowestKey : range.lower
            return try seek(cursor, lower, &key, &value)
        case .descending:
            let code = try seek(cursor, range.upper ?? tree.highestKey, &key, &value)
            if code == MDB_NOTFOUND { return mdb_cursor_get(cursor, &key, &value, MDB_LAST) }
            if code != 0 || range.upper == nil { return code }
            return mdb_cursor_get(cursor, &key, &value, MDB_PREV)
        }
    }

    /// Moves to the first entry that is not before `bound`.
    private func seek(
        _ cursor: OpaquePointer, _ bound: [UInt8], _ key: inout MDB_val, _ value: inout MDB_val
    ) throws -> Int32 {
        try bound.withUnsafeBytes {
            try transaction.checkWay(to: $0, in: tree)
            key = MDB_val($0)
            return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        }
    }
}

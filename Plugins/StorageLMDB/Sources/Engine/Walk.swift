import CLMDB
import PatchbayCore

/// Moves a cursor through a range of a tree's keys.
///
///     var walk = try Walk(transaction, tree, range, order: .ascending)
///     defer { walk.end() }
///     while let entry = try walk.next() { ... }
struct Walk {
    struct Entry {
        let key: UnsafeRawBufferPointer
        /// The sealed value; `Transaction.payload` opens it.
        let value: UnsafeRawBufferPointer
    }

    private let transaction: Transaction
    private let tree: Tree
    private let range: KeyRange
    private let order: Query.Order
    private let cursor: OpaquePointer
    private var isPlaced = false
    private var visited = 0
    /// The key before, while nothing can move it.
    private var previous: UnsafeRawBufferPointer?

    /// - Parameter range: encoded keys, not empty.
    init(_ transaction: Transaction, _ tree: Tree, _ range: KeyRange = KeyRange(), order: Query.Order) throws {
        self.transaction = transaction
        self.tree = tree
        self.range = tree.stored(range)
        self.order = order
        self.cursor = try transaction.takeCursor(handle: tree.handle)
    }

    func end() { transaction.giveBack(cursor, handle: tree.handle) }

    /// The next entry; nil behind the last one of the range.
    ///
    /// - Throws: `corrupted` when keys are out of order, or fewer or more than the tree's own count.
    mutating func next() throws -> Entry? {
        var key = MDB_val(), value = MDB_val()
        let code = isPlaced
            ? mdb_cursor_get(cursor, &key, &value, order == .ascending ? MDB_NEXT : MDB_PREV) : place(&key, &value)
        isPlaced = true
        if code == MDB_NOTFOUND {
            try checkCount()
            return nil
        }
        try transaction.environment.check(code, "read")
        try checkKey(key.bytes)
        guard isInRange(key.bytes) else { return nil }
        visited += 1
        return Entry(key: key.bytes, value: value.bytes)
    }

    private func place(_ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        switch order {
        case .ascending:
            guard !range.lower.isEmpty else { return mdb_cursor_get(cursor, &key, &value, MDB_FIRST) }
            return seek(range.lower, &key, &value)
        case .descending:
            guard let upper = range.upper else { return mdb_cursor_get(cursor, &key, &value, MDB_LAST) }
            let code = seek(upper, &key, &value)
            if code == MDB_NOTFOUND { return mdb_cursor_get(cursor, &key, &value, MDB_LAST) }
            return code == 0 ? mdb_cursor_get(cursor, &key, &value, MDB_PREV) : code
        }
    }

    /// Goes to the first entry that is not before `bound`.
    private func seek(_ bound: [UInt8], _ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        bound.withUnsafeBytes {
            key = MDB_val($0)
            return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        }
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

    @inline(__always)
    private mutating func checkKey(_ key: UnsafeRawBufferPointer) throws {
        guard transaction.isReadable(key), !key.isEmpty, !tree.hasIntegerKeys || key.count == 8 else {
            throw transaction.damaged(tree, UnsafeRawBufferPointer(start: nil, count: 0), "its key has a wrong size")
        }
        // In a writing transaction a visitor's change may move the key before.
        if transaction.isWriting { return }
        if let previous {
            let isInOrder = order == .ascending ? tree.precedes(previous, key) : tree.precedes(key, previous)
            guard isInOrder else { throw transaction.damaged(tree, key, "its key is out of order") }
        }
        previous = key
    }

    /// A walk over everything must meet as many entries as the tree says it has.
    private func checkCount() throws {
        guard range.lower.isEmpty, range.upper == nil else { return }
        let count = try transaction.entryCount(tree)
        guard visited == count else {
            throw PatchbayError(
                .corrupted, "\"\(tree.name)\" has \(visited) entries where it counts \(count); "
                    + "restore the storage from a copy", ["file": transaction.environment.path + "/data.mdb"])
        }
    }
}

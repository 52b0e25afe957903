import CLMDB
import PatchbayCore

/// Reads and changes of trees that the transaction changes. LMDB trusts the pages it visits, so those around each key
/// are checked first.
extension Transaction {
    // MARK: Reading

    /// The first entry of a changed tree that is not before `bound`, or, with `isAfter`, that is after it.
    func first(from bound: [UInt8], isAfter: Bool, in tree: Tree) throws -> Snapshot.Entry? {
        try unsafe (bound.isEmpty ? tree.lowestKey : bound).withUnsafeBytes { bound in
            let found = try unsafe move(MDB_SET_RANGE, to: bound, in: tree)
            guard isAfter, let found = unsafe found, unsafe found.key.isEqual(to: bound) else {
                return unsafe found
            }
            return try unsafe move(MDB_NEXT, in: tree)
        }
    }

    /// The last entry of a changed tree before `bound`, or the last of all.
    func last(before bound: [UInt8]?, in tree: Tree) throws -> Snapshot.Entry? {
        try unsafe (bound ?? tree.highestKey).withUnsafeBytes { key in
            guard let found = try unsafe move(MDB_SET_RANGE, to: key, in: tree) else {
                return try unsafe move(MDB_LAST, in: tree)
            }
            return unsafe bound == nil ? found : try move(MDB_PREV, in: tree)
        }
    }

    /// Whether an entry's key starts with these bytes.
    func hasEntry(startingWith start: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        try unsafe move(MDB_SET_RANGE, to: start, in: tree)?.key.hasPrefix(start) ?? false
    }

    /// Moves the tree's cursor, once the pages around the key that it moves to are checked, and returns its entry; nil
    /// when there is none, and the cursor does not move.
    func move(
        _ step: MDB_cursor_op, to bound: UnsafeRawBufferPointer? = nil, in tree: Tree
    ) throws -> Snapshot.Entry? {
        if let bound = unsafe bound {
            try unsafe checkWay(to: bound, in: tree, withNeighbours: step != MDB_SET)
        }
        var key = unsafe bound.map { unsafe MDB_val($0) } ?? MDB_val(), value = unsafe MDB_val()
        let code = unsafe mdb_cursor_get(try cursor(tree), &key, &value, step)
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read")
        return unsafe (key.bytes, value.bytes)
    }

    @inline(__always)
    private func cursor(_ tree: Tree) throws -> OpaquePointer {
        if let cursor = unsafe states[Int(tree.handle)].cursor { return unsafe cursor }
        var cursor: OpaquePointer?
        let code = unsafe mdb_cursor_open(handle, tree.handle, &cursor)
        guard code == 0, let cursor = unsafe cursor else {
            throw PatchbayError.lmdb(code, "read", environment.path)
        }
        unsafe states[Int(tree.handle)].cursor = unsafe cursor
        return unsafe cursor
    }

    // MARK: Changing

    /// Appends an entry whose value already has its seal. Returns false when its key does not come after all others.
    func append(_ entry: Snapshot.Entry, in tree: Tree) throws -> Bool {
        states[Int(tree.handle)].changeCount += 1
        var key = unsafe MDB_val(entry.key), value = unsafe MDB_val(entry.value)
        let code = unsafe mdb_cursor_put(try cursor(tree), &key, &value, UInt32(MDB_APPEND))
        if code == MDB_KEYEXIST || code == MDB_BAD_VALSIZE { return false }
        try environment.check(code, "write to")
        return true
    }

    /// Puts a payload and its seal into the space that LMDB reserves in a page, so that nothing is copied twice.
    ///
    /// - Parameter isLast: whether the key comes after all others of the tree (``isAfterAll(_:in:)``).
    @inline(__always)
    func put(
        _ payload: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree, isLast: Bool
    ) throws {
        // The end of the tree was checked when the greatest key was found.
        let isChecked = isLast && states[Int(tree.handle)].isGreatestKnown
        if !isChecked { try unsafe checkWay(to: key, in: tree, withNeighbours: false) }
        states[Int(tree.handle)].changeCount += 1
        var keyValue = unsafe MDB_val(key)
        var value = unsafe MDB_val(mv_size: payload.count + Tree.sealBytes, mv_data: nil)
        let flags = UInt32(MDB_RESERVE | (isLast ? MDB_APPEND : 0))
        let code = unsafe mdb_cursor_put(try cursor(tree), &keyValue, &value, flags)
        try environment.check(code, "write to")
        let room = unsafe UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size)
        unsafe room.copyMemory(from: payload)
        let seal = unsafe tree.checksum(key, payload).littleEndian
        unsafe room.storeBytes(of: seal, toByteOffset: payload.count, as: UInt32.self)
        if isLast, tree.hasIntegerKeys {
            states[Int(tree.handle)].greatest = unsafe key.number(UInt64.self, at: 0)
        }
    }

    /// Deletes an entry; returns false when there was none.
    func delete(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        try unsafe checkWay(to: key, in: tree, withNeighbours: true)
        states[Int(tree.handle)].changeCount += 1
        states[Int(tree.handle)].isGreatestKnown = false
        var keyValue = unsafe MDB_val(key)
        let code = unsafe mdb_del(handle, tree.handle, &keyValue, nil)
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "write to")
        return true
    }

    /// Deletes every entry, and unless `isKept` the sub-database too.
    func clear(_ tree: Tree, isKept: Bool = true) throws {
        if let root = try root(tree) { try check?.checkAll(of: tree, root) }
        states[Int(tree.handle)].changeCount += 1
        states[Int(tree.handle)].isGreatestKnown = false
        try unsafe environment.check(mdb_drop(handle, tree.handle, isKept ? 0 : 1), "clear a part of")
    }

    /// Whether a key is known to come after all keys of the tree.
    @inline(__always)
    func isAfterKnown(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        try unsafe states[Int(tree.handle)].isGreatestKnown && isAfterAll(key, in: tree)
    }

    /// Whether a key comes after all keys of the tree, so that its entry can be appended. Always false unless keys are
    /// integers, which often ascend.
    @inline(__always)
    func isAfterAll(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        guard tree.hasIntegerKeys else { return false }
        if !states[Int(tree.handle)].isGreatestKnown { try findGreatest(tree) }
        return states[Int(tree.handle)].greatest.map { unsafe $0 < key.number(UInt64.self, at: 0) }
            ?? true
    }

    private func findGreatest(_ tree: Tree) throws {
        try unsafe tree.highestKey.withUnsafeBytes {
            try unsafe checkWay(to: $0, in: tree, withNeighbours: true)
        }
        var walk = try Walk(self, tree, order: .descending)
        states[Int(tree.handle)].greatest = try unsafe walk.next()?.key.number(UInt64.self, at: 0)
        states[Int(tree.handle)].isGreatestKnown = true
    }
}

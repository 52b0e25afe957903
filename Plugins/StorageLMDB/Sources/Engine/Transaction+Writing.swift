import CLMDB
import PatchbayCore

extension Transaction {
    /// Puts a sealed value under a key.
    ///
    /// - Parameter isLast: whether the key comes after all others of the tree (``isBehindAll(_:in:)``).
    @inline(__always)
    func put(
        _ payload: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree, isLast: Bool
    ) throws {
        _ = try write(payload, under: key, in: tree, isLast ? MDB_APPEND : 0)
        if isLast, tree.hasIntegerKeys {
            states[Int(tree.handle)].greatest = key.loadUnaligned(as: UInt64.self)
        }
    }

    /// Puts an entry of a unique index, unless another one starts with the same bytes; then the tree is unchanged.
    ///
    /// The entry is inserted before the search for others: they would be next to it, so that one search serves both.
    ///
    /// - Parameters:
    ///   - ownBytes: the length of the key's start that no other entry may have.
    ///   - isLast: whether an entry with the same own bytes could only be before this one.
    /// - Returns: false when there is another entry.
    func putUnique(
        _ payload: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, ownBytes: Int, in tree: Tree,
        isLast: Bool
    ) throws -> Bool {
        guard let cursor = try write(payload, under: key, in: tree, MDB_NOOVERWRITE) else { return false }
        let own = UnsafeRawBufferPointer(rebasing: key[..<ownBytes])
        guard try isBeside(cursor, own, isLast: isLast) else { return true }
        _ = try delete(key, in: tree)
        return false
    }

    /// Whether an entry next to the cursor's starts with these bytes.
    private func isBeside(_ cursor: OpaquePointer, _ own: UnsafeRawBufferPointer, isLast: Bool) throws -> Bool
    {
        let before = try move(cursor, MDB_PREV)
        if let before, before.hasPrefix(own) { return true }
        if isLast { return false }
        if before != nil { _ = try move(cursor, MDB_NEXT) }
        return try move(cursor, MDB_NEXT)?.hasPrefix(own) ?? false
    }

    /// Moves the cursor and returns its key; nil when there is no further entry, and the cursor does not move.
    @inline(__always)
    private func move(_ cursor: OpaquePointer, _ step: MDB_cursor_op) throws -> UnsafeRawBufferPointer? {
        var key = MDB_val(), value = MDB_val()
        let code = mdb_cursor_get(cursor, &key, &value, step)
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read")
        return key.bytes
    }

    /// Writes a payload and its seal into the space that LMDB reserves in a page, so that nothing is copied twice.
    ///
    /// - Returns: the spare cursor, positioned on the entry; nil when `flags` forbid replacing an existing one.
    @inline(__always)
    private func write(
        _ payload: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree, _ flags: Int32
    ) throws -> OpaquePointer? {
        try checkWay(to: key, in: tree)
        states[Int(tree.handle)].isChanged = true
        let cursor = try spareCursor(tree)
        var keyValue = MDB_val(key)
        var value = MDB_val(mv_size: payload.count + Tree.sealBytes, mv_data: nil)
        let code = mdb_cursor_put(cursor, &keyValue, &value, UInt32(MDB_RESERVE | flags))
        if code == MDB_KEYEXIST, flags & MDB_NOOVERWRITE != 0 { return nil }
        try environment.check(code, "write to")
        let room = UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size)
        room.copyMemory(from: payload)
        let seal = tree.checksum(key, payload).littleEndian
        room.storeBytes(of: seal, toByteOffset: payload.count, as: UInt32.self)
        return cursor
    }

    /// Deletes an entry; returns false when there was none.
    func delete(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        try checkWay(to: key, in: tree)
        states[Int(tree.handle)].isChanged = true
        states[Int(tree.handle)].isGreatestKnown = false
        var keyValue = MDB_val(key)
        let code = mdb_del(handle, tree.handle, &keyValue, nil)
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "write to")
        return true
    }

    /// Deletes every entry, and unless `isKept` the sub-database too.
    func clear(_ tree: Tree, isKept: Bool = true) throws {
        if let root = try root(tree) { try check?.checkAll(of: tree, root) }
        states[Int(tree.handle)].isChanged = true
        states[Int(tree.handle)].isGreatestKnown = false
        try environment.check(mdb_drop(handle, tree.handle, isKept ? 0 : 1), "clear a part of")
    }

    /// Whether a key comes after all keys of the tree, so that its entry can be appended. Always false unless keys are
    /// integers, which often ascend.
    @inline(__always)
    func isBehindAll(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        guard tree.hasIntegerKeys else { return false }
        if !states[Int(tree.handle)].isGreatestKnown { try findGreatest(tree) }
        return states[Int(tree.handle)].greatest.map { $0 < key.loadUnaligned(as: UInt64.self) } ?? true
    }

    private func findGreatest(_ tree: Tree) throws {
        var walk = try Walk(self, tree, order: .descending)
        defer { walk.end() }
        states[Int(tree.handle)].greatest = try walk.next()?.key.loadUnaligned(as: UInt64.self)
        states[Int(tree.handle)].isGreatestKnown = true
    }
}

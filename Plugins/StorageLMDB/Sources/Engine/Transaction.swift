import CLMDB
import PatchbayCore

/// An LMDB transaction. Bytes it returns stay valid until it ends or, in a writing one, until the next change.
///
/// Unchecked: one task at a time uses it; MDB_NOTLS lets a reading one move between threads, a writing one stays on
/// its thread.
final class Transaction: @unchecked Sendable {
    let environment: Environment
    let isWriting: Bool
    private let handle: OpaquePointer
    /// Cursors that nobody uses, by sub-database.
    private var spareCursors: [[OpaquePointer]] = []

    init(_ environment: Environment, isWriting: Bool) throws {
        var handle: OpaquePointer?
        let flags = isWriting ? 0 : UInt32(MDB_RDONLY)
        try environment.check(mdb_txn_begin(environment.handle, nil, flags, &handle), "begin a transaction in")
        self.environment = environment
        self.isWriting = isWriting
        self.handle = handle!  // set when the code is 0
    }

    // MARK: Life

    /// Lets a reading transaction's snapshot go; its place among the readers stays.
    @inline(__always)
    func reset() { mdb_txn_reset(handle) }

    /// Takes the newest snapshot again.
    @inline(__always)
    func renew() throws { try environment.check(mdb_txn_renew(handle), "read") }

    /// Ends the transaction; it must not be used again, even when this throws.
    func commit() throws {
        closeCursors()
        try environment.check(mdb_txn_commit(handle), "commit to")
    }

    /// Ends the transaction and drops its changes; it must not be used again.
    func abort() {
        closeCursors()
        mdb_txn_abort(handle)
    }

    private func closeCursors() {
        for cursor in spareCursors.joined() { mdb_cursor_close(cursor) }
        spareCursors = []
    }

    // MARK: Sub-databases

    /// Opens a sub-database; nil when there is none and it is not to be created. The handle lasts as long as the
    /// environment once the transaction has committed.
    func open(_ name: String, hasIntegerKeys: Bool = false, isCreating: Bool = false) throws -> Tree? {
        var tree: MDB_dbi = 0
        let flags = (hasIntegerKeys ? MDB_INTEGERKEY : 0) | (isCreating ? MDB_CREATE : 0)
        let code = mdb_dbi_open(handle, name, UInt32(flags), &tree)
        if code == MDB_NOTFOUND { return nil }
        if code == MDB_INCOMPATIBLE { throw PatchbayError.lmdb(MDB_CORRUPTED, "open", environment.path) }
        try environment.check(code, "open a sub-database of")
        return Tree(name, tree, hasIntegerKeys: hasIntegerKeys)
    }

    /// The entries of a sub-database.
    func entryCount(_ tree: Tree) throws -> Int {
        var status = MDB_stat()
        try environment.check(mdb_stat(handle, tree.handle, &status), "read")
        return Int(status.ms_entries)
    }

    /// Deletes every entry, and the sub-database too when it is not to be kept.
    func clear(_ tree: Tree, isKept: Bool = true) throws {
        try environment.check(mdb_drop(handle, tree.handle, isKept ? 0 : 1), "clear a part of")
    }

    // MARK: Entries

    /// The payload under a key, checked; nil when there is none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> UnsafeRawBufferPointer? {
        guard let value = try findSealed(key, in: tree) else { return nil }
        return try payload(of: value, under: key, in: tree)
    }

    /// The value under a key as it is stored, not to be touched before it is checked.
    @inline(__always)
    func findSealed(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> UnsafeRawBufferPointer? {
        var keyValue = MDB_val(key), value = MDB_val()
        let code = mdb_get(handle, tree.handle, &keyValue, &value)
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read")
        return value.bytes
    }

    /// A stored value without its seal, which is checked.
    ///
    /// - Throws: `corrupted` when the bytes lie outside the file or their checksum is wrong.
    @inline(__always)
    func payload(
        of value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree
    ) throws -> UnsafeRawBufferPointer {
        guard isReadable(value), value.count >= Tree.sealBytes else {
            throw damaged(tree, key, "it lies outside the file")
        }
        let count = value.count - Tree.sealBytes
        let payload = UnsafeRawBufferPointer(rebasing: value[..<count])
        let seal = UInt32(littleEndian: value.loadUnaligned(fromByteOffset: count, as: UInt32.self))
        guard tree.checksum(key, payload) == seal else { throw damaged(tree, key, "its checksum is wrong") }
        return payload
    }

    /// Whether bytes may be touched: inside the file or, in a writing transaction, on a changed page in memory.
    @inline(__always)
    func isReadable(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if environment.isMapped(bytes) { return environment.isInsideFile(bytes) }
        return isWriting && bytes.count <= Limits.rowBytes + Tree.sealBytes
    }

    /// Puts a sealed value under a key, which has room for it reserved first, so that nothing is copied twice.
    func put(
        _ payload: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree, isLast: Bool = false
    ) throws {
        let seal = tree.checksum(key, payload)
        var keyValue = MDB_val(key)
        var value = MDB_val(mv_size: payload.count + Tree.sealBytes, mv_data: nil)
        let flags = UInt32(MDB_RESERVE | (isLast ? MDB_APPEND : 0))
        try environment.check(mdb_put(handle, tree.handle, &keyValue, &value, flags), "write to")
        let room = UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size)
        room.copyMemory(from: payload)
        room.storeBytes(of: seal.littleEndian, toByteOffset: payload.count, as: UInt32.self)
    }

    /// Returns false when there was nothing under the key.
    func delete(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        var keyValue = MDB_val(key)
        let code = mdb_del(handle, tree.handle, &keyValue, nil)
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "write to")
        return true
    }

    // MARK: Cursors

    /// A cursor over a sub-database, for one walk; `giveBack` it. Reuses one of this transaction's where it can.
    func takeCursor(handle tree: MDB_dbi) throws -> OpaquePointer {
        let place = Int(tree)
        if place < spareCursors.count, let cursor = spareCursors[place].popLast() {
            if !isWriting { try environment.check(mdb_cursor_renew(handle, cursor), "read") }
            return cursor
        }
        var cursor: OpaquePointer?
        try environment.check(mdb_cursor_open(handle, tree, &cursor), "read")
        return cursor!  // set when the code is 0
    }

    func giveBack(_ cursor: OpaquePointer, handle tree: MDB_dbi) {
        while spareCursors.count <= Int(tree) { spareCursors.append([]) }
        spareCursors[Int(tree)].append(cursor)
    }

    /// The error for an entry that cannot be what was written.
    func damaged(_ tree: Tree, _ key: UnsafeRawBufferPointer, _ fault: String) -> PatchbayError {
        let isWhole = isReadable(key) || !environment.isMapped(key)
        return PatchbayError(
            .corrupted, "an entry of \"\(tree.name)\" is damaged: \(fault); restore the storage from a copy",
            ["file": environment.path + "/data.mdb", "key": isWhole ? tree.describe(key) : "unknown"])
    }
}

extension MDB_val {
    /// LMDB does not write through the pointers it is given.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

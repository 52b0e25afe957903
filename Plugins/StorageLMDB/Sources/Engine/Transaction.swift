import CLMDB
import PatchbayCore
import Synchronization

/// An LMDB transaction. Bytes it returns stay valid until it ends or, in a writing one, until the next change.
///
/// Unchecked: one task at a time uses it; MDB_NOTLS lets a reading one move between threads, a writing one stays on
/// its thread.
final class Transaction: @unchecked Sendable {
    let environment: Environment
    let isWriting: Bool
    private let handle: OpaquePointer
    /// What a reading transaction sees, and what a writing one started from.
    private(set) var snapshot: Snapshot
    /// Roots in the snapshot, by handle.
    private var roots: [Snapshot.Root?] = []
    /// The sub-databases that this transaction has changed, so that LMDB must be asked what they hold; by handle.
    private var changed: Set<MDB_dbi> = []
    /// The pages that were looked at whole before LMDB changes them.
    private var checkedPages: Set<UInt64> = []
    /// Cursors that nobody uses, by sub-database.
    private var spareCursors: [[OpaquePointer]] = []

    init(_ environment: Environment, isWriting: Bool) throws {
        var handle: OpaquePointer?
        let flags = isWriting ? 0 : UInt32(MDB_RDONLY)
        try environment.check(mdb_txn_begin(environment.handle, nil, flags, &handle), "begin a transaction in")
        guard let handle else { throw PatchbayError.lmdb(MDB_BAD_TXN, "begin a transaction in", environment.path) }
        self.environment = environment
        self.isWriting = isWriting
        self.handle = handle
        do {
            snapshot = try Transaction.newestSnapshot(handle, environment, isWriting)
            if isWriting { try checkFreeList() }
        } catch {
            mdb_txn_abort(handle)
            throw error
        }
    }

    // MARK: Life

    /// Lets a reading transaction's snapshot go; its place among the readers stays.
    @inline(__always)
    func reset() { mdb_txn_reset(handle) }

    /// Takes the newest snapshot again.
    @inline(__always)
    func renew() throws {
        try environment.check(mdb_txn_renew(handle), "read")
        if UInt64(mdb_txn_id(handle)) == snapshot.number { return }
        snapshot = try Transaction.newestSnapshot(handle, environment, isWriting)
        roots = []
    }

    /// Reads the header of the commit that LMDB keeps for this transaction. When two more have come in between, its
    /// place has been taken, and a reader starts again.
    private static func newestSnapshot(
        _ handle: OpaquePointer, _ environment: Environment, _ isWriting: Bool
    ) throws -> Snapshot {
        while true {
            let number = UInt64(mdb_txn_id(handle)) - (isWriting ? 1 : 0)
            if let snapshot = try Snapshot(number: number, map: environment.map) { return snapshot }
            guard !isWriting else { throw PatchbayError.lmdb(MDB_CORRUPTED, "write to", environment.path) }
            mdb_txn_reset(handle)
            try environment.check(mdb_txn_renew(handle), "read")
        }
    }

    /// Looks at the list of free pages before the first write.
    private func checkFreeList() throws {
        guard !environment.isFreeListChecked.load(ordering: .relaxed) else { return }
        try snapshot.checkFreeList()
        environment.isFreeListChecked.store(true, ordering: .relaxed)
    }

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
        // LMDB goes the same way through the names, and trusts it.
        var nameCopy = name
        try nameCopy.withUTF8 {
            let key = UnsafeRawBufferPointer($0)
            try snapshot.checkSurroundings(of: key, in: Snapshot.names, snapshot.main, &checkedPages)
        }
        var tree: MDB_dbi = 0
        let flags = (hasIntegerKeys ? MDB_INTEGERKEY : 0) | (isCreating ? MDB_CREATE : 0)
        let code = mdb_dbi_open(handle, name, UInt32(flags), &tree)
        if code == MDB_NOTFOUND { return nil }
        if code == MDB_INCOMPATIBLE { throw PatchbayError.lmdb(MDB_CORRUPTED, "open", environment.path) }
        try environment.check(code, "open a sub-database of")
        if isCreating { changed.insert(tree) }
        return Tree(name, tree, hasIntegerKeys: hasIntegerKeys)
    }

    /// Whether this transaction has changed a sub-database.
    @inline(__always)
    func hasChanged(_ tree: Tree) -> Bool { isWriting && changed.contains(tree.handle) }

    /// The root of a sub-database in the snapshot.
    @inline(__always)
    func root(_ tree: Tree) throws -> Snapshot.Root? {
        let place = Int(tree.handle)
        if place < roots.count, let root = roots[place] { return root }
        return try findRoot(tree)
    }

    private func findRoot(_ tree: Tree) throws -> Snapshot.Root? {
        let root = try snapshot.root(named: tree.name)
        while roots.count <= Int(tree.handle) { roots.append(nil) }
        roots[Int(tree.handle)] = root
        return root
    }

    /// The entries of a sub-database.
    func entryCount(_ tree: Tree) throws -> Int {
        if !hasChanged(tree) { return try root(tree)?.entryCount ?? 0 }
        var status = MDB_stat()
        try environment.check(mdb_stat(handle, tree.handle, &status), "read")
        return Int(status.ms_entries)
    }

    /// Deletes every entry, and the sub-database too when it is not to be kept.
    func clear(_ tree: Tree, isKept: Bool = true) throws {
        if !hasChanged(tree), let root = try root(tree) {
            var checked: Set<UInt64> = []
            try snapshot.checkAll(of: tree, root, &checked)
        }
        changed.insert(tree.handle)
        try environment.check(mdb_drop(handle, tree.handle, isKept ? 0 : 1), "clear a part of")
    }

    // MARK: Entries

    /// The payload under a key, checked; nil when there is none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> UnsafeRawBufferPointer? {
        guard let value = try findSealed(key, in: tree) else { return nil }
        return try payload(of: value, under: key, in: tree)
    }

    /// The value under a key as it is stored.
    @inline(__always)
    private func findSealed(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> UnsafeRawBufferPointer? {
        guard hasChanged(tree) else { return try root(tree).flatMap { try snapshot.find(key, in: tree, $0) } }
        try checkSurroundings(tree, key)
        var keyValue = MDB_val(key), value = MDB_val()
        let code = mdb_get(handle, tree.handle, &keyValue, &value)
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read")
        return value.bytes
    }

    /// A stored value without its seal, which is checked.
    ///
    /// - Throws: `corrupted` when its size or its checksum is wrong.
    @inline(__always)
    func payload(
        of value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree
    ) throws -> UnsafeRawBufferPointer {
        guard value.count >= Tree.sealBytes, value.count <= Limits.rowBytes + Tree.sealBytes else {
            throw damaged(tree, key, "its size is \(value.count)")
        }
        let count = value.count - Tree.sealBytes
        let payload = UnsafeRawBufferPointer(rebasing: value[..<count])
        let seal = UInt32(littleEndian: value.loadUnaligned(fromByteOffset: count, as: UInt32.self))
        guard tree.checksum(key, payload) == seal else { throw damaged(tree, key, "its checksum is wrong") }
        return payload
    }

    /// Looks at the pages that LMDB may go through for a key.
    private func checkSurroundings(_ tree: Tree, _ key: UnsafeRawBufferPointer) throws {
        if let root = try root(tree) { try snapshot.checkSurroundings(of: key, in: tree, root, &checkedPages) }
    }

    /// Puts a sealed value under a key, which has room for it reserved first, so that nothing is copied twice.
    ///
    /// A cursor that `hasEntry` has left on the same page saves LMDB the way down the tree.
    func put(
        _ payload: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree, isLast: Bool = false
    ) throws {
        let seal = tree.checksum(key, payload)
        try checkSurroundings(tree, key)
        changed.insert(tree.handle)
        let cursor = try takeCursor(tree)
        defer { giveBack(cursor, of: tree) }
        var keyValue = MDB_val(key)
        var value = MDB_val(mv_size: payload.count + Tree.sealBytes, mv_data: nil)
        let flags = UInt32(MDB_RESERVE | (isLast ? MDB_APPEND : 0))
        try environment.check(mdb_cursor_put(cursor, &keyValue, &value, flags), "write to")
        let room = UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size)
        room.copyMemory(from: payload)
        room.storeBytes(of: seal.littleEndian, toByteOffset: payload.count, as: UInt32.self)
    }

    /// Whether an entry's key starts with these bytes.
    func hasEntry(startingWith start: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        guard hasChanged(tree) else { return try hasSnapshotEntry(startingWith: start, in: tree) }
        try checkSurroundings(tree, start)
        let cursor = try takeCursor(tree)
        defer { giveBack(cursor, of: tree) }
        var key = MDB_val(start), value = MDB_val()
        let code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "read")
        return key.bytes.starts(with: start)
    }

    private func hasSnapshotEntry(startingWith start: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        guard let root = try root(tree) else { return false }
        var walk = PageWalk(snapshot, tree)
        return try walk.first(from: start, root)?.key.starts(with: start) ?? false
    }

    /// Returns false when there was nothing under the key.
    func delete(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        try checkSurroundings(tree, key)
        changed.insert(tree.handle)
        var keyValue = MDB_val(key)
        let code = mdb_del(handle, tree.handle, &keyValue, nil)
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "write to")
        return true
    }

    // MARK: Cursors

    /// A cursor of a writing transaction over a sub-database; `giveBack` it. Reuses one where it can.
    func takeCursor(_ tree: Tree) throws -> OpaquePointer {
        let place = Int(tree.handle)
        if place < spareCursors.count, let cursor = spareCursors[place].popLast() { return cursor }
        var cursor: OpaquePointer?
        try environment.check(mdb_cursor_open(handle, tree.handle, &cursor), "read")
        return cursor!  // set when the code is 0
    }

    func giveBack(_ cursor: OpaquePointer, of tree: Tree) {
        while spareCursors.count <= Int(tree.handle) { spareCursors.append([]) }
        spareCursors[Int(tree.handle)].append(cursor)
    }

    /// The error for an entry that cannot be what was written.
    func damaged(_ tree: Tree, _ key: UnsafeRawBufferPointer, _ fault: String) -> PatchbayError {
        PatchbayError(
            .corrupted, "an entry of \"\(tree.name)\" is damaged: \(fault); restore the storage from a copy",
            ["file": environment.path + "/data.mdb", "key": tree.describe(key)])
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

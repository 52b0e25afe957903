import CLMDB
import PatchbayCore
import Synchronization

/// An LMDB transaction. It reads unchanged trees from its snapshot, and changed ones through LMDB.
///
/// Bytes from the snapshot are valid until the transaction ends, those from LMDB until the next change.
///
/// Unchecked: only one task at a time uses it. MDB_NOTLS allows a read transaction to move between threads; a write
/// transaction stays on its thread.
final class Transaction: @unchecked Sendable {
    let environment: Environment
    let isWriting: Bool
    /// The snapshot that a read transaction sees, or that a write transaction started from.
    private(set) var snapshot: Snapshot
    let handle: OpaquePointer
    let check: PageCheck?
    /// The states of the trees by handle. Plain memory, because every access to a row uses it.
    let states: UnsafeMutablePointer<TreeState>

    /// The state of one sub-database in a transaction.
    struct TreeState {
        var root: Snapshot.Root?
        var isRootKnown = false
        /// Whether it has been changed, so that it must be read through LMDB.
        var isChanged = false
        /// A cursor that is not in use.
        var cursor: OpaquePointer?
        /// The greatest native integer key; nil when there is none.
        var greatest: UInt64?
        var isGreatestKnown = false
    }

    init(_ environment: Environment, isWriting: Bool) throws {
        let handle = try Transaction.begin(environment, isWriting: isWriting)
        self.environment = environment
        self.isWriting = isWriting
        self.handle = handle
        do {
            snapshot = try Transaction.newestSnapshot(handle, environment, isWriting)
            check = isWriting ? PageCheck(snapshot) : nil
            try Transaction.checkFreeListOnce(environment, check)
        } catch {
            mdb_txn_abort(handle)
            if isWriting { environment.unlockWriter() }
            throw error
        }
        states = .allocate(capacity: Environment.handlesMax)
        states.initialize(repeating: TreeState(), count: Environment.handlesMax)
    }

    deinit { states.deallocate() }

    /// Begins a transaction. A write transaction first waits for those of other processes.
    private static func begin(_ environment: Environment, isWriting: Bool) throws -> OpaquePointer {
        if isWriting { try environment.lockWriter() }
        var handle: OpaquePointer?
        let code = mdb_txn_begin(environment.handle, nil, isWriting ? 0 : UInt32(MDB_RDONLY), &handle)
        if code == 0, let handle { return handle }
        if isWriting { environment.unlockWriter() }
        throw PatchbayError.lmdb(code, "begin a transaction in", environment.path)
    }

    /// Reads the header of the commit that LMDB protects for this transaction. When two more commits have overwritten
    /// it meanwhile, a reader starts again.
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

    /// Checks the list of free pages before the first write of an environment.
    private static func checkFreeListOnce(_ environment: Environment, _ check: PageCheck?) throws {
        guard let check, !environment.isFreeListChecked.load(ordering: .relaxed) else { return }
        try check.checkFreeList()
        environment.isFreeListChecked.store(true, ordering: .relaxed)
    }

    // MARK: Life

    /// Releases a read transaction's snapshot but keeps its place among the readers.
    @inline(__always)
    func reset() { mdb_txn_reset(handle) }

    /// Takes the newest snapshot after a ``reset()``.
    @inline(__always)
    func renew() throws {
        try environment.check(mdb_txn_renew(handle), "read")
        if UInt64(mdb_txn_id(handle)) == snapshot.number { return }
        snapshot = try Transaction.newestSnapshot(handle, environment, isWriting)
        for place in 0..<Environment.handlesMax { states[place].isRootKnown = false }
    }

    /// Ends the transaction; it must not be used again, even when this throws.
    func commit() throws {
        closeCursors()
        defer { if isWriting { environment.unlockWriter() } }
        try environment.check(mdb_txn_commit(handle), "commit to")
    }

    /// Ends the transaction and drops its changes; it must not be used again.
    func abort() {
        closeCursors()
        mdb_txn_abort(handle)
        if isWriting { environment.unlockWriter() }
    }

    private func closeCursors() {
        for place in 0..<Environment.handlesMax {
            if let cursor = states[place].cursor { mdb_cursor_close(cursor) }
            states[place].cursor = nil
        }
    }

    // MARK: Sub-databases

    /// Opens a sub-database; nil when it does not exist and `isCreating` is false. The handle is valid as long as the
    /// environment, once the transaction has committed.
    func open(_ name: String, hasIntegerKeys: Bool = false, isCreating: Bool = false) throws -> Tree? {
        // LMDB searches the same path in the tree of names, and trusts it.
        var key = name
        try key.withUTF8 { try checkNames(UnsafeRawBufferPointer($0)) }
        var tree: MDB_dbi = 0
        let flags = (hasIntegerKeys ? MDB_INTEGERKEY : 0) | (isCreating ? MDB_CREATE : 0)
        let code = mdb_dbi_open(handle, name, UInt32(flags), &tree)
        if code == MDB_NOTFOUND { return nil }
        if code == MDB_INCOMPATIBLE { throw PatchbayError.lmdb(MDB_CORRUPTED, "open", environment.path) }
        try environment.check(code, "open a sub-database of")
        if isCreating { states[Int(tree)].isChanged = true }
        return Tree(name, tree, hasIntegerKeys: hasIntegerKeys)
    }

    private func checkNames(_ name: UnsafeRawBufferPointer) throws {
        try (check ?? PageCheck(snapshot)).checkWay(to: name, in: Snapshot.names, snapshot.main)
    }

    /// Whether this transaction has changed a sub-database.
    @inline(__always)
    func hasChanged(_ tree: Tree) -> Bool { states[Int(tree.handle)].isChanged }

    /// The root of a sub-database in the snapshot; nil when it did not exist yet.
    @inline(__always)
    func root(_ tree: Tree) throws -> Snapshot.Root? {
        let place = Int(tree.handle)
        if !states[place].isRootKnown {
            states[place].root = try snapshot.root(named: tree.name)
            states[place].isRootKnown = true
        }
        return states[place].root
    }

    /// The number of entries of a sub-database.
    func entryCount(_ tree: Tree) throws -> Int {
        if !hasChanged(tree) { return try root(tree)?.entryCount ?? 0 }
        var status = MDB_stat()
        try environment.check(mdb_stat(handle, tree.handle, &status), "read")
        return Int(status.ms_entries)
    }

    // MARK: Entries

    /// The payload under a key, checked; nil when there is none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> UnsafeRawBufferPointer? {
        let value =
            hasChanged(tree)
            ? try findChanged(key, in: tree)
            : try root(tree).flatMap { try snapshot.find(key, in: tree, $0) }
        return try value.map { try payload(of: $0, under: key, in: tree) }
    }

    private func findChanged(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> UnsafeRawBufferPointer? {
        try checkWay(to: key, in: tree)
        var keyValue = MDB_val(key), value = MDB_val()
        let code = mdb_get(handle, tree.handle, &keyValue, &value)
        if code == MDB_NOTFOUND { return nil }
        try environment.check(code, "read")
        return value.bytes
    }

    /// Checks a stored value and returns it without its seal.
    ///
    /// - Throws: `corrupted` when its size or its checksum is wrong.
    @inline(__always)
    func payload(
        of value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree
    ) throws -> UnsafeRawBufferPointer {
        if let fault = tree.fault(of: value, under: key) { throw damaged(tree, key, fault) }
        return UnsafeRawBufferPointer(rebasing: value[..<(value.count - Tree.sealBytes)])
    }

    /// Whether an entry's key starts with these bytes.
    func hasEntry(startingWith start: UnsafeRawBufferPointer, in tree: Tree) throws -> Bool {
        guard hasChanged(tree) else {
            guard let root = try root(tree) else { return false }
            var walk = PageWalk(snapshot, tree)
            return try walk.first(from: start, root)?.key.hasPrefix(start) ?? false
        }
        try checkWay(to: start, in: tree)
        var key = MDB_val(start), value = MDB_val()
        let code = mdb_cursor_get(try spareCursor(tree), &key, &value, MDB_SET_RANGE)
        if code == MDB_NOTFOUND { return false }
        try environment.check(code, "read")
        return key.bytes.hasPrefix(start)
    }

    /// Checks the pages that LMDB may visit for a key.
    @inline(__always)
    func checkWay(to key: UnsafeRawBufferPointer, in tree: Tree) throws {
        if let root = try root(tree) { try check?.checkWay(to: key, in: tree, root) }
    }

    // MARK: Cursors

    /// Returns an LMDB cursor over a sub-database that this transaction changes, reusing one if possible. Return it
    /// with `giveBack`.
    func takeCursor(_ tree: Tree) throws -> OpaquePointer {
        let cursor = try spareCursor(tree)
        states[Int(tree.handle)].cursor = nil
        return cursor
    }

    /// The cursor that is not in use, without marking it as used.
    @inline(__always)
    func spareCursor(_ tree: Tree) throws -> OpaquePointer {
        try states[Int(tree.handle)].cursor ?? openCursor(tree)
    }

    private func openCursor(_ tree: Tree) throws -> OpaquePointer {
        var cursor: OpaquePointer?
        let code = mdb_cursor_open(handle, tree.handle, &cursor)
        guard code == 0, let cursor else { throw PatchbayError.lmdb(code, "read", environment.path) }
        states[Int(tree.handle)].cursor = cursor
        return cursor
    }

    func giveBack(_ cursor: OpaquePointer, of tree: Tree) {
        if let spare = states[Int(tree.handle)].cursor { mdb_cursor_close(spare) }
        states[Int(tree.handle)].cursor = cursor
    }

    /// The error for an entry that was changed since it was written.
    func damaged(_ tree: Tree, _ key: UnsafeRawBufferPointer, _ fault: String) -> PatchbayError {
        PatchbayError(
            .corrupted, "an entry of \"\(tree.name)\" is damaged: \(fault); restore the storage from a copy",
            [.file(environment.path + "/data.mdb"), .key(tree.describe(key))])
    }
}

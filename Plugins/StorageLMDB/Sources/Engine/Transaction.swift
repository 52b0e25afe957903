import CLMDB
import PatchbayCore
import Synchronization

/// An LMDB transaction. It reads unchanged trees from its snapshot, and changed ones through LMDB.
///
/// Bytes from the snapshot are valid until the transaction ends, those from LMDB until the next change.
///
/// Safe and unchecked: only one task at a time uses it. MDB_NOTLS allows a read transaction to move between threads; a
/// write transaction stays on its thread.
@safe final class Transaction: @unchecked Sendable {
    let environment: Environment
    let isWriting: Bool
    /// The snapshot that a read transaction sees, or that a write transaction started from.
    private(set) var snapshot: Snapshot
    let handle: OpaquePointer
    let check: PageCheck?
    /// Checks the tree of names in a read.
    private var namesCheck: PageCheck?
    private var isEnded = false
    /// The states of the trees by handle.
    var states: [TreeState]

    /// The state of one sub-database in a transaction.
    ///
    /// Safe, because the bytes of the root stay in place as long as the transaction.
    @safe struct TreeState {
        var root: Root?
        var isRootKnown = false
        /// The number of changes; after the first one it must be read through LMDB.
        var changeCount = 0
        /// The number of paths that were checked, and whether all pages were.
        var wayCount = 0
        var isSound = false
        /// LMDB's cursor; each operation positions it first.
        var cursor: OpaquePointer?
        /// The greatest native integer key; nil when there is none.
        var greatest: UInt64?
        var isGreatestKnown = false
    }

    init(_ environment: Environment, isWriting: Bool) throws {
        self.environment = environment
        self.isWriting = isWriting
        states = Array(
            repeating: TreeState(), count: environment.handleCount.load(ordering: .relaxed))
        // A write first waits for those of other processes.
        if isWriting { try environment.lockWriter() }
        var begun: OpaquePointer?
        do {
            let flags = isWriting ? 0 : UInt32(MDB_RDONLY)
            try unsafe environment.check(
                mdb_txn_begin(environment.handle, nil, flags, &begun), "begin a transaction in")
            let handle = unsafe begun!
            let snapshot = try unsafe Transaction.newestSnapshot(handle, environment, isWriting)
            let check = isWriting ? PageCheck(snapshot) : nil
            if let check, !environment.isFreeListChecked.load(ordering: .relaxed) {
                try check.checkFreeList()
                environment.isFreeListChecked.store(true, ordering: .relaxed)
            }
            unsafe self.handle = unsafe handle
            self.snapshot = snapshot
            self.check = check
        } catch {
            // Does nothing when it has not begun.
            unsafe mdb_txn_abort(begun)
            if isWriting { environment.unlockWriter() }
            throw error
        }
    }

    // A reader that the pool drops has not ended.
    deinit { abort() }

    /// Runs `body` in a transaction, which is committed, or aborted when `body` throws.
    static func run<Result>(
        _ environment: Environment, isWriting: Bool, _ body: (Transaction) throws -> Result
    ) throws -> Result {
        let transaction = try Transaction(environment, isWriting: isWriting)
        // Does nothing after the commit.
        defer { transaction.abort() }
        let result = try body(transaction)
        try transaction.commit()
        return result
    }

    /// Reads the header of the commit that LMDB protects for this transaction. When two more commits have overwritten
    /// it meanwhile, a reader starts again.
    private static func newestSnapshot(
        _ handle: OpaquePointer, _ environment: Environment, _ isWriting: Bool
    ) throws -> Snapshot {
        while true {
            let number = unsafe UInt64(mdb_txn_id(handle)) - (isWriting ? 1 : 0)
            if let snapshot = try Snapshot(number: number, map: environment.map) { return snapshot }
            guard !isWriting else { throw PatchbayError.lmdb(MDB_CORRUPTED, "write to", environment.path) }
            unsafe mdb_txn_reset(handle)
            try unsafe environment.check(mdb_txn_renew(handle), "read")
        }
    }

    // MARK: Life

    /// Releases a read transaction's snapshot but keeps its place among the readers.
    @inline(__always)
    func reset() { unsafe mdb_txn_reset(handle) }

    /// Takes the newest snapshot after a ``reset()``. An error ends the transaction, because the environment may close
    /// as soon as its reader has been dropped.
    @inline(__always)
    func renew() throws {
        do {
            try unsafe environment.check(mdb_txn_renew(handle), "read")
            if unsafe UInt64(mdb_txn_id(handle)) == snapshot.number { return }
            snapshot = try unsafe Transaction.newestSnapshot(handle, environment, isWriting)
        } catch {
            abort()
            throw error
        }
        namesCheck = nil
        for place in states.indices { states[place].isRootKnown = false }
    }

    /// Runs a read, then checks that the snapshot was intact throughout.
    @inline(__always)
    func guarding<Value>(_ body: () throws -> Value) throws -> Value {
        guard environment.isUnlocked else { return try body() }
        let outcome = Result { try body() }
        // Pages that were reused meanwhile may look damaged, so this error comes first.
        try environment.checkValid(snapshot)
        return try outcome.get()
    }

    /// Ends the transaction; it must not be used again, even when this throws.
    func commit() throws {
        end()
        defer { if isWriting { environment.unlockWriter() } }
        if isWriting { environment.hasCommitted.store(true, ordering: .relaxed) }
        try unsafe environment.check(mdb_txn_commit(handle), "commit to")
    }

    /// Ends the transaction, unless it has ended, and drops its changes; it must not be used again.
    func abort() {
        if isEnded { return }
        end()
        unsafe mdb_txn_abort(handle)
        if isWriting { environment.unlockWriter() }
    }

    private func end() {
        isEnded = true
        for place in states.indices {
            if let cursor = unsafe states[place].cursor { unsafe mdb_cursor_close(cursor) }
            unsafe states[place].cursor = nil
        }
    }

    // MARK: Sub-databases

    /// Opens a sub-database, or creates it. The handle is valid as long as the environment, once the transaction has
    /// committed.
    ///
    /// - Throws: `corrupted` when it does not exist and `isCreating` is false.
    func open(_ name: String, hasIntegerKeys: Bool = false, isCreating: Bool = false) throws -> Tree {
        // LMDB searches the same path in the tree of names, and trusts it.
        var key = name
        try key.withUTF8 { key in
            let check = check ?? namesCheck ?? PageCheck(snapshot)
            namesCheck = check
            try unsafe check.checkWay(
                to: UnsafeRawBufferPointer(key), in: Snapshot.names, snapshot.header.main,
                withNeighbours: true)
        }
        var tree: MDB_dbi = 0
        let flags = (hasIntegerKeys ? MDB_INTEGERKEY : 0) | (isCreating ? MDB_CREATE : 0)
        let code = unsafe mdb_dbi_open(handle, name, UInt32(flags), &tree)
        if code == MDB_NOTFOUND { throw missing(name) }
        if code == MDB_INCOMPATIBLE { throw PatchbayError.lmdb(MDB_CORRUPTED, "open", environment.path) }
        try environment.check(code, "open a sub-database of")
        let count = Int(tree) + 1
        environment.handleCount.max(count, ordering: .relaxed)
        states += repeatElement(TreeState(), count: max(0, count - states.count))
        if isCreating { states[Int(tree)].changeCount += 1 }
        return Tree(name, tree, hasIntegerKeys: hasIntegerKeys)
    }

    /// The error for a sub-database that does not exist.
    func missing(_ name: String) -> PatchbayError {
        PatchbayError(
            .corrupted,
            "the storage \"\(environment.path)\" has no sub-database \"\(name)\", which its schema names; "
                + "restore it from a copy", [.file(environment.map.file)])
    }

    /// The number of times that this transaction has changed a sub-database.
    @inline(__always)
    func changeCount(_ tree: Tree) -> Int { states[Int(tree.handle)].changeCount }

    /// The root of a sub-database in the snapshot; nil when it did not exist yet.
    @inline(__always)
    func root(_ tree: Tree) throws -> Root? {
        let place = Int(tree.handle)
        if !states[place].isRootKnown {
            states[place].root = try snapshot.root(named: tree.name)
            states[place].isRootKnown = true
        }
        return states[place].root
    }

    /// The number of entries of a sub-database.
    func entryCount(_ tree: Tree) throws -> Int {
        if changeCount(tree) == 0 { return try root(tree)?.entryCount ?? 0 }
        var status = MDB_stat()
        try unsafe environment.check(mdb_stat(handle, tree.handle, &status), "read")
        return Int(status.ms_entries)
    }

    // MARK: Entries

    /// The payload under a key, checked; nil when there is none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, in tree: Tree) throws -> UnsafeRawBufferPointer? {
        let value =
            unsafe changeCount(tree) > 0
            ? try move(MDB_SET, to: key, in: tree)?.value
            : try root(tree).flatMap { try unsafe snapshot.find(key, in: tree, $0) }
        return try unsafe value.map { try unsafe payload(of: (key, $0), in: tree) }
    }

    /// Checks an entry and returns its value without the seal.
    ///
    /// - Throws: `corrupted` when its size or its checksum is wrong.
    @inline(__always)
    func payload(of entry: Snapshot.Entry, in tree: Tree) throws -> UnsafeRawBufferPointer {
        if let fault = unsafe tree.fault(of: entry) {
            throw unsafe snapshot.damaged(tree, entry.key, fault)
        }
        return unsafe entry.value.part(0..<entry.value.count - Tree.sealBytes)
    }

    /// Checks the pages that LMDB may visit for a key: those on the path, and with `withNeighbours` those beside them.
    ///
    /// After as many paths as the tree has leaves, checking all its pages costs no more than as many paths again, so
    /// all are checked and no key needs a path any more.
    @inline(__always)
    func checkWay(to key: UnsafeRawBufferPointer, in tree: Tree, withNeighbours: Bool) throws {
        if states[Int(tree.handle)].isSound { return }
        try unsafe checkNewWay(to: key, in: tree, withNeighbours)
    }

    private func checkNewWay(
        to key: UnsafeRawBufferPointer, in tree: Tree, _ withNeighbours: Bool
    ) throws {
        guard let check, let root = try root(tree) else { return }
        let place = Int(tree.handle)
        states[place].wayCount += 1
        if states[place].wayCount > root.pages.leaves {
            try check.checkAll(of: tree, root)
            states[place].isSound = true
        } else {
            try unsafe check.checkWay(to: key, in: tree, root, withNeighbours: withNeighbours)
        }
    }
}

import CSQLite
import PatchbayCore

/// One connection to the database. One task at a time uses it.
final class Connection {
    let handle: OpaquePointer
    let path: String
    /// The pages that the log held after the last commit of this connection; see ``watchLog()``.
    private(set) var logPages = 0
    /// Nil when nobody has set it; see ``limit(_:)``.
    var pageCache: PageCache?

    /// - Parameter path: one without links, which are refused.
    convenience init(path: String, reach: Reach = .writing, busyTimeoutMilliseconds: Int) throws {
        try self.init(address: path, reach.parameters, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW)
        unsafe sqlite3_busy_timeout(handle, Int32(busyTimeoutMilliseconds))
        if reach.isExclusive { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    }

    /// A look at the file alone: takes no lock, reads no log, finishes nothing that another program left
    /// undone.
    ///
    /// Reading the file without SQLite would not do: to close it drops all locks that this process has on it.
    convenience init(lookingAt path: String) throws {
        try self.init(address: path, Reach.alone.parameters, SQLITE_OPEN_READONLY)
    }

    /// Opens the file at a path, whatever its name means to SQLite.
    private convenience init(address path: String, _ parameters: String, _ flags: Int32) throws {
        let name = path.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let folder = path.hasPrefix("/") ? "" : "./"
        try self.init("file:\(folder)\(name)?\(parameters)", path, flags | SQLITE_OPEN_URI)
    }

    private init(_ name: String, _ path: String, _ flags: Int32) throws {
        self.path = path
        var opened: OpaquePointer?
        // No mutex: the reader pool and the writer actor let one task at a time in.
        let result = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened = unsafe opened else {
            throw PatchbayError.sqlite(result, "no connection", systemError: 0, path: path)
        }
        unsafe handle = opened
        unsafe sqlite3_extended_result_codes(opened, 1)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    deinit {
        // With statements still there SQLite closes when the last of them is finalised.
        unsafe sqlite3_close_v2(handle)
    }

    static var engineVersion: String { unsafe String(cString: sqlite3_libversion()) }

    /// Whether the file can only be read.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The rows that the last statement changed.
    var changedRows: Int { Int(unsafe sqlite3_changes(handle)) }

    func prepare(_ sql: String, _ columns: RowColumns? = nil) throws -> Statement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else { throw failure(result) }
        return unsafe Statement(statement, self, columns)
    }

    /// Runs a statement without parameters to its end.
    func execute(_ sql: String) throws {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// The first column of the first row, as a number; zero when there is no row.
    func integer(_ sql: String) throws -> Int {
        let statement = try prepare(sql)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// The first column of the first row, as text.
    func text(_ sql: String) throws -> String {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : ""
    }

    /// Counts the log's pages after each commit, instead of moving them into the database inside a commit.
    func watchLog() {
        unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                // The connection itself, which is there as long as its handle commits.
                unsafe Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Moves what the log holds into the database, as far as no reader needs it. Writers go on meanwhile.
    ///
    /// - Returns: the pages that are still to be moved.
    @discardableResult func checkpoint() throws -> Int {
        var pages: Int32 = 0, moved: Int32 = 0
        let result = unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        guard result == SQLITE_OK || result & 0xFF == SQLITE_BUSY else { throw failure(result) }
        return Int(pages - moved)
    }

    /// Moves the whole log into the database and cuts it to nothing.
    ///
    /// - Throws: `busy` when somebody reads or writes longer than the time-out.
    func emptyLog() throws {
        let result = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// The error for a result code that a call on this connection has just given.
    func failure(_ result: Int32) -> PatchbayError {
        let text = unsafe String(cString: sqlite3_errmsg(handle))
        let systemError = unsafe sqlite3_system_errno(handle)
        return PatchbayError.sqlite(result, text, systemError: systemError, path: path)
    }
}

import CSQLite
import PatchbayCore

// The calls of SQLite's connections; those of its statements are in Statement.swift.

/// A connection to the database, used by one task at a time.
///
/// Safe, because it owns the handle and alone uses it.
@safe final class Connection {
    private let handle: OpaquePointer
    let path: String
    /// The number of pages in the log after this connection's last commit; see ``watchLog()``.
    private(set) var logPages = 0
    /// Nil until it is set; see ``limit(_:)``.
    var pageCache: PageCache?

    /// - Parameter path: a path without symbolic links, which are refused.
    convenience init(path: String, reach: Reach = .writing, busyTimeoutMilliseconds: Int) throws {
        try self.init(address: path, reach.parameters, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW)
        wait(upTo: busyTimeoutMilliseconds)
        if reach == .alone { holdFile() }
        if reach.isExclusive { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    }

    /// Opens the database file by itself: takes no lock, does not read the log, and does not complete a write that
    /// another program left unfinished.
    ///
    /// The file cannot be read without SQLite, because closing it would release all locks that this process holds
    /// on it.
    convenience init(lookingAt path: String) throws {
        try self.init(address: path, Reach.alone.parameters, SQLITE_OPEN_READONLY)
    }

    /// Opens the file at a path, even if its name has a special meaning for SQLite.
    private convenience init(address path: String, _ parameters: String, _ flags: Int32) throws {
        let folder = path.hasPrefix("/") ? "" : "./"
        try self.init(
            "file:\(folder)\(PercentEncoding.segment(path))?\(parameters)", path, flags | SQLITE_OPEN_URI)
    }

    private init(_ name: String, _ path: String, _ flags: Int32) throws {
        self.path = path
        var opened: OpaquePointer?
        // No mutex is needed: the reader pool and the writer actor admit one task at a time.
        let result = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened = unsafe opened else {
            throw PatchbayError.sqlite(result, "no connection", systemError: 0, path: path)
        }
        unsafe handle = opened
        unsafe sqlite3_extended_result_codes(opened, 1)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    deinit {
        // While statements remain, SQLite delays the close until the last of them is finalised.
        unsafe sqlite3_close_v2(handle)
    }

    /// Sets how long a statement waits for a lock.
    func wait(upTo milliseconds: Int) { unsafe sqlite3_busy_timeout(handle, Int32(milliseconds)) }

    static var engineVersion: String { unsafe String(cString: sqlite3_libversion()) }

    /// Whether the file can only be read.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed.
    var changedRows: Int { Int(unsafe sqlite3_changes(handle)) }

    func prepare(_ sql: String, _ columns: RowColumns? = nil) throws -> Statement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else { throw failure(result) }
        return unsafe Statement(statement, self, columns)
    }

    /// Runs a statement without parameters to completion.
    func execute(_ sql: String) throws {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// Returns the first column of the first row as a number, or zero when there is no row.
    func integer(_ sql: String) throws -> Int {
        let statement = try prepare(sql)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Returns the first column of the first row as text, or an empty string when there is no row.
    func text(_ sql: String) throws -> String {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : ""
    }

    /// Counts the log's pages after each commit, instead of moving them into the database inside a commit.
    func watchLog() {
        unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                // The context is the connection itself, which exists as long as its handle can commit.
                unsafe Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Moves pages from the log into the database, except those that a reader still needs. Writers continue
    /// meanwhile.
    ///
    /// - Returns: the number of pages that remain in the log.
    @discardableResult func checkpoint() throws -> Int {
        var pages: Int32 = 0, moved: Int32 = 0
        let result = unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        guard result == SQLITE_OK || result & 0xFF == SQLITE_BUSY else { throw failure(result) }
        return Int(pages - moved)
    }

    /// Moves the whole log into the database and truncates it to zero bytes.
    ///
    /// - Throws: `busy` when another connection reads or writes for longer than the time-out.
    func emptyLog() throws {
        let result = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Copies all pages of this database into another one, in steps, unless the task is cancelled.
    ///
    /// - Throws: `CancellationError`, or the error of the connection that failed.
    func copyPages(
        to copy: Connection, atOnce pages: Int32, _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws {
        guard let backup = unsafe sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.failure(unsafe sqlite3_errcode(copy.handle))
        }
        var result = SQLITE_OK
        while result == SQLITE_OK, !Task.isCancelled {
            result = unsafe sqlite3_backup_step(backup, pages)
            let total = Int(unsafe sqlite3_backup_pagecount(backup))
            progress(total - Int(unsafe sqlite3_backup_remaining(backup)), total)
        }
        unsafe sqlite3_backup_finish(backup)
        try Task.checkCancellation()
        guard result == SQLITE_DONE else {
            throw (result & 0xFF == SQLITE_CORRUPT ? self : copy).failure(result)
        }
    }

    /// Calls the counter from time to time while `body` runs statements.
    func counting<Result>(with counter: StepCounter, _ body: () throws -> Result) rethrows -> Result {
        // The counter outlives the handler.
        unsafe sqlite3_progress_handler(
            handle, StepCounter.stepsBetween,
            { unsafe Unmanaged<StepCounter>.fromOpaque($0!).takeUnretainedValue().step() },
            Unmanaged.passUnretained(counter).toOpaque())
        defer {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            withExtendedLifetime(counter) {}
        }
        return try body()
    }

    /// The memory that the connection's page cache uses, in bytes.
    var cachedBytes: Int {
        var now: Int32 = 0, most: Int32 = 0
        let result = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0)
        assert(result == SQLITE_OK)
        return Int(now)
    }

    /// Returns the error for a result code that a call on this connection has just returned.
    func failure(_ result: Int32) -> PatchbayError {
        let text = unsafe String(cString: sqlite3_errmsg(handle))
        let systemError = unsafe sqlite3_system_errno(handle)
        return PatchbayError.sqlite(result, text, systemError: systemError, path: path)
    }
}

/// The lock of a connection that reads the file alone (``Reach/alone``), which SQLite does not take.
extension Connection {
    /// Keeps writers that close the database from moving their log into it: they move it only if no other connection
    /// has the database open. When the lock cannot be taken, the caller notices a change afterwards.
    func holdFile() {
        unsafe withFile { file, methods in _ = unsafe methods.xLock(file, SQLITE_LOCK_SHARED) }
    }

    /// Ends ``holdFile()``.
    func releaseFile() {
        unsafe withFile { file, methods in _ = unsafe methods.xUnlock(file, SQLITE_LOCK_NONE) }
    }

    /// The handle is that of the database file, which is open as long as the connection.
    private func withFile(_ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Void) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else { return }
        unsafe body(file, methods.pointee)
    }
}

/// The memory that a connection may use for its own page cache.
enum PageCache: Int {
    /// SQLite's default, which is enough for the changes of a short transaction. In a long-lived process, small
    /// transactions would eventually fill a larger cache.
    case small = 2_048
    /// Holds the changes of a long transaction, which otherwise go to the log page by page.
    case large = 16_384

    var kibibytes: Int { rawValue }
}

extension Connection {
    /// Sets the limit of the page cache. A smaller limit releases the excess memory at once.
    func limit(_ cache: PageCache) throws {
        guard cache != pageCache else { return }
        try execute("PRAGMA cache_size = -\(cache.kibibytes)")
        pageCache = cache
    }

    /// Runs work on many pages, such as a migration, with a large cache.
    func withLargeCache(_ body: () throws -> Void) throws {
        try limit(.large)
        do {
            try body()
        } catch {
            try limit(.small)
            throw error
        }
        try limit(.small)
    }

    /// Maps up to the given number of bytes of the file into memory and reads from there; 0 unmaps it. Every
    /// statement must have been reset.
    func map(bytesMax: Int) throws { try execute("PRAGMA mmap_size = \(bytesMax)") }

    /// Changes the limit of the map without a statement, unless another statement is reading a mapped page.
    ///
    /// - Returns: whether the file may be mapped now. Reads do not depend on it.
    func limitMap(bytesMax: Int) -> Bool {
        var limit = Int64(bytesMax), now: Int64 = -1
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_MMAP_SIZE, &limit)
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_MMAP_SIZE, &now)
        return now > 0
    }

    /// Runs statements on this connection and reports progress from time to time, in thousands of steps of SQLite's
    /// virtual machine. The total is unknown.
    ///
    /// - Throws: `CancellationError` when the task was cancelled meanwhile, otherwise the error of `body`.
    func reporting<Result>(
        _ progress: WorkProgress.Handler, of task: String, _ body: () throws -> Result
    ) throws -> Result {
        try withoutActuallyEscaping(progress) { progress in
            progress(WorkProgress(task, done: 0))
            do {
                return try counting(with: StepCounter(task, progress), body)
            } catch {
                try Task.checkCancellation()
                throw error
            }
        }
    }
}

/// Called regularly while one connection runs statements.
final class StepCounter {
    /// About 3 ms of work on pages in memory.
    static let stepsBetween: Int32 = 100_000

    private let task: String
    private let progress: WorkProgress.Handler
    private var thousands = 0

    init(_ task: String, _ progress: @escaping WorkProgress.Handler) {
        self.task = task
        self.progress = progress
    }

    /// Returns 1 to interrupt the statement.
    func step() -> Int32 {
        thousands += Int(StepCounter.stepsBetween) / 1_000
        progress(WorkProgress(task, done: thousands))
        return Task.isCancelled ? 1 : 0
    }
}

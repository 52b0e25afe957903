import CSQLite
import PatchbayCore
import PatchbayDomain

/// A connection to a database in memory that has only the tables of ``SQLTables``, and can only read.
///
/// Safe and unchecked, because it owns the handle, and one thread at a time uses it: a pool of ``SQLTables`` lends it.
@safe final class SQLConnection: @unchecked Sendable {
    let handle: OpaquePointer
    private var tables: [ModuleTable] = []
    /// The names of tables that statements may read, in lower case.
    private var readable: [String: QueryTable] = [:]
    /// The names of SQLite's own tables, which exist without a declaration.
    private var builtIn: Set<String> = []

    // MARK: The running statement

    /// What the running statement reads.
    private(set) var run: StatementRun?
    /// The plans that SQLite was given, which its cursors name by their numbers.
    var plans: [(table: QueryTable, plan: TablePlan)] = []
    /// The tables that the statement names.
    private(set) var used: Set<String> = []
    /// What SQLite does not report of the statement.
    private(set) var traits = StatementTraits()
    /// The columns of texts that IN compares with numbers.
    private(set) var numberColumns: Set<NumberColumn> = []
    /// The first action that the authorizer refused, in words.
    private(set) var refused: String?
    private var failure: (any Error)?
    /// What was counted for plans.
    var counts: [RowCount: Double] = [:]
    private var isDeclaring = false

    /// - Parameter names: the tables with the names under which statements know them.
    init(_ names: [(name: String, table: QueryTable)]) throws {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let result = unsafe sqlite3_open_v2(":memory:", &opened, flags, MemoryFiles.name)
        guard let opened = unsafe opened else {
            throw PatchbayError(.internalError, "SQLite cannot be started (\(result))")
        }
        unsafe handle = opened
        unsafe sqlite3_extended_result_codes(opened, 1)
        guard result == SQLITE_OK else { throw failure(result) }
        restrict()
        for (name, declared) in names {
            try register(OpenTable(declared, self), as: name)
            readable[name] = declared
        }
        try register(FindTable(self), as: FindTable.name)
        try prepareBuiltIn()
        authorize()
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    private func register(_ table: ModuleTable, as name: String) throws {
        tables.append(table)
        try unsafe TableModule.register(table, as: name, with: handle)
    }

    /// Starts a statement.
    func begin(_ run: StatementRun) {
        self.run = run
        plans = []
        used = []
        refused = nil
        failure = nil
        counts = [:]
        numberColumns = []
    }

    /// Starts the statement again, with other plans.
    func begin(again column: NumberColumn) {
        plans = []
        failure = nil
        numberColumns.insert(column)
    }

    /// Makes the words of the statement that is prepared known to plans.
    ///
    /// - Throws: `invalidValue` for one of SQLite's own tables, about whose columns in USING the authorizer is not
    ///   asked.
    func prepare(_ traits: StatementTraits) throws {
        self.traits = traits
        if let name = traits.joinedNames.first(where: { readable[$0] == nil && isOwn($0) }) {
            throw PatchbayError(.invalidValue, Self.unreadable(name))
        }
    }

    /// Notes a table that the statement reads. The authorizer is not asked about columns of USING.
    func use(_ name: String) { used.insert(name) }

    /// Ends a statement, whose handle was finalised.
    func end() {
        run = nil
        plans = []
    }

    /// Keeps an error that a table has met, for the statement.
    func fail(_ error: any Error) { failure = failure ?? error }

    /// The error that ended a statement: that of a table if there is one.
    func failure(_ result: Int32) -> any Error {
        if let failure { return failure }
        if let refused { return PatchbayError(.invalidValue, refused) }
        return SQLFailure(
            code: result, message: unsafe String(cString: sqlite3_errmsg(handle)),
            offset: Int(unsafe sqlite3_error_offset(handle)))
    }

    // MARK: For tables

    /// Runs the declaration of a table, for whose key SQLite asks the authorizer as for a table that is created.
    func declaring<Result>(_ body: () -> Result) -> Result {
        isDeclaring = true
        defer { isDeclaring = false }
        return body()
    }

    var reading: SnapshotReader { begun.reader }

    /// The running statement, for code that only such a statement calls.
    var begun: StatementRun {
        guard let run else { preconditionFailure("no statement has begun") }
        return run
    }

    var now: Timestamp { run?.now ?? Timestamp(milliseconds: 0) }

    /// - Throws: ``StatementRun/Stop`` when the statement has to end.
    func checkTime() throws { if let stop = run?.stop { throw stop } }
}

// MARK: - Restrictions

extension SQLConnection {
    /// Sets everything that limits statements, apart from the authorizer.
    private func restrict() {
        let options: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            // A misspelt name in double quotation marks is an error, not a text.
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
        ]
        for (option, value) in options { _ = unsafe sqlite3_set_option(handle, option, value) }
        let limits: [(Int32, Int32)] = [
            (SQLITE_LIMIT_LENGTH, SQLLimits.valueBytesMax),
            (SQLITE_LIMIT_SQL_LENGTH, Int32(SQLLimits.statementBytesMax + 1_000)),
            (SQLITE_LIMIT_COLUMN, 1_000), (SQLITE_LIMIT_EXPR_DEPTH, 500), (SQLITE_LIMIT_COMPOUND_SELECT, 100),
            (SQLITE_LIMIT_VDBE_OP, 500_000), (SQLITE_LIMIT_FUNCTION_ARG, 100), (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, SQLLimits.patternBytesMax),
            (SQLITE_LIMIT_VARIABLE_NUMBER, 1_000), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
        for (limit, value) in limits { unsafe sqlite3_limit(handle, limit, value) }
        unsafe sqlite3_create_collation_v2(
            handle, TimeText.collation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let left = unsafe UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = unsafe UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return unsafe Int32(truncatingIfNeeded: TimeText.compare(left, right).signum())
            }, nil)
        unsafe TextFunctions.register(with: handle)
        unsafe sqlite3_progress_handler(
            handle, 2_000,
            { context in
                let connection = unsafe Unmanaged<SQLConnection>.fromOpaque(context!)
                return unsafe connection._withUnsafeGuaranteedRef { $0.run?.stop == nil ? 0 : 1 }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Keeps everything that statements materialise in memory, which ``StatementRun`` bounds, and finds the names of
    /// SQLite's own tables.
    private func prepareBuiltIn() throws {
        try unsafe rows("PRAGMA temp_store = \(MemoryFiles.name == nil ? "MEMORY" : "FILE")") { _ in }
        // SQLite makes these tables at their first use, which the authorizer would refuse.
        try unsafe rows("SELECT 1 FROM json_each('[]'), json_tree('[]')") { _ in }
        try unsafe rows("PRAGMA module_list") { statement in
            let name = unsafe sqlite3_column_text(statement, 0).map { unsafe String(cString: $0) } ?? ""
            let isOurs = readable[name] != nil || name == FindTable.name
            if !isOurs, !Self.tables.contains(name) { builtIn.insert(name.lowercased()) }
        }
    }

    /// Runs a statement of our own.
    private func rows(_ sql: String, _ visit: (OpaquePointer) throws -> Void) throws {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else { throw failure(result) }
        defer { unsafe sqlite3_finalize(statement) }
        while true {
            let result = unsafe sqlite3_step(statement)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw failure(result) }
            try unsafe visit(statement)
        }
    }

    /// Allows reading the declared tables with the listed functions, and nothing else.
    private func authorize() {
        unsafe sqlite3_set_authorizer(
            handle,
            { context, action, first, second, database, _ in
                let connection = unsafe Unmanaged<SQLConnection>.fromOpaque(context!)
                let first = unsafe first.map { unsafe String(cString: $0) } ?? ""
                let second = unsafe second.map { unsafe String(cString: $0) } ?? ""
                return unsafe connection._withUnsafeGuaranteedRef {
                    $0.allows(action, first, second) ? SQLITE_OK : SQLITE_DENY
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func allows(_ action: Int32, _ first: String, _ second: String) -> Bool {
        if isDeclaring { return true }
        switch action {
        case SQLITE_SELECT, SQLITE_RECURSIVE: return true
        case SQLITE_READ:
            let name = first.lowercased()
            if name == FindTable.name {
                used.insert(name)
                return true
            }
            if let table = readable[name] {
                used.insert(table.name)
                return true
            }
            // Without a column, the name may be that of a common table, which this callback cannot distinguish.
            if Self.tables.contains(name) || second.isEmpty && !isOwn(name) { return true }
            refuse(Self.unreadable(first))
        case SQLITE_FUNCTION:
            if SQLFunctions.allowed.contains(second.lowercased()) { return true }
            refuse("the function \(second) is not available in queries")
        default:
            let words = SQLFunctions.actions[action] ?? "this statement"
            refuse("\(words) is not possible, because a query can only read; write a SELECT")
        }
        return false
    }

    /// Whether a name is that of one of SQLite's own tables.
    private func isOwn(_ name: String) -> Bool {
        builtIn.contains(name) || name.hasPrefix("sqlite_") || name.hasPrefix("pragma_")
    }

    private static func unreadable(_ name: String) -> String { "the table \(name) cannot be read by a query" }

    private func refuse(_ words: String) { refused = refused ?? words }

    /// SQLite's tables that only have what a statement passes to them.
    private static let tables: Set = ["json_each", "json_tree"]
}

/// The functions that statements may use, and the words for actions that they may not do.
enum SQLFunctions {
    /// None of them reads or writes anything but its arguments, changes the connection, makes values from nothing
    /// (`zeroblob`, `randomblob`), or takes more time than in proportion to the size of its arguments (`json_patch`),
    /// because a call cannot be interrupted. See ``TextFunctions``.
    static let allowed = Set(
        [values, texts, times, aggregates, windows, json, mathematics].flatMap { $0.split(separator: " ") }
            .map(String.init))

    private static let values =
        "abs coalesce ifnull iif if likelihood likely max min nullif quote random round sign typeof unlikely"
    private static let texts =
        "char concat concat_ws format glob hex instr length like lower ltrim octet_length printf replace rtrim "
        + "soundex substr substring trim unhex unicode upper"
    private static let times =
        "current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch"
    private static let aggregates = "avg count group_concat median string_agg sum total"
    private static let windows =
        "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number"
    private static let json =
        "-> ->> json json_array json_array_length json_error_position json_extract json_group_array "
        + "json_group_object json_insert json_object json_pretty json_quote json_remove json_replace "
        + "json_set json_type json_valid"
    private static let mathematics =
        "acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi "
        + "pow power radians sin sinh sqrt tan tanh trunc"

    /// The refused actions that people may try.
    static let actions: [Int32: String] = [
        SQLITE_INSERT: "inserting", SQLITE_UPDATE: "updating", SQLITE_DELETE: "deleting",
        SQLITE_ATTACH: "ATTACH", SQLITE_DETACH: "DETACH", SQLITE_PRAGMA: "PRAGMA",
        SQLITE_TRANSACTION: "a transaction", SQLITE_SAVEPOINT: "a transaction",
        SQLITE_ANALYZE: "ANALYZE", SQLITE_REINDEX: "REINDEX", SQLITE_ALTER_TABLE: "ALTER TABLE",
        SQLITE_CREATE_TABLE: "CREATE", SQLITE_CREATE_TEMP_TABLE: "CREATE", SQLITE_CREATE_INDEX: "CREATE",
        SQLITE_CREATE_TEMP_INDEX: "CREATE", SQLITE_CREATE_VIEW: "CREATE", SQLITE_CREATE_TEMP_VIEW: "CREATE",
        SQLITE_CREATE_TRIGGER: "CREATE", SQLITE_CREATE_TEMP_TRIGGER: "CREATE", SQLITE_CREATE_VTABLE: "CREATE",
        SQLITE_DROP_TABLE: "DROP", SQLITE_DROP_VTABLE: "DROP", SQLITE_DROP_INDEX: "DROP",
        SQLITE_DROP_VIEW: "DROP", SQLITE_DROP_TRIGGER: "DROP",
    ]
}

import CSQLite

/// A table of a connection, which SQLite reads through the functions of ``TableModule``.
///
/// A class with subclasses, not a protocol, because a C function cannot be generic, and because references to a value
/// of any type with a protocol would be counted for each row.
class ModuleTable {
    /// Unowned, because the connection owns its tables.
    unowned let connection: SQLConnection
    /// A statement with the columns, for `sqlite3_declare_vtab`.
    let declaration: String

    init(_ declaration: String, of connection: SQLConnection) {
        self.declaration = declaration
        self.connection = connection
    }

    /// Answers xBestIndex.
    func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> Int32 { SQLITE_ERROR }

    /// Opens a cursor.
    func cursor() -> ModuleCursor { preconditionFailure("a table has cursors of its own") }
}

/// The rows of a table while a statement reads them. An error is kept for the statement, because SQLite only takes a
/// code.
class ModuleCursor {
    /// Whether there is no current row.
    var isAtEnd: Bool { true }
    /// The number of the current row, for tables that have rowids.
    var rowid: Int64 { 0 }

    /// Goes to the first row that a plan finds.
    ///
    /// - Parameter number: the number that the table has given to the plan.
    func start(_ number: Int, _ values: UnsafeBufferPointer<OpaquePointer?>) throws {}

    /// Goes to the next row.
    func advance() throws {}

    /// Passes the value of a column to SQLite.
    func write(_ column: Int, to context: OpaquePointer) throws {}

    /// Keeps an error for the statement.
    func fail(_ error: any Error) {}
}

/// The functions that SQLite calls for virtual tables. Each passes the call on to a table or a cursor.
enum TableModule {
    /// SQLite's object for a table, and the table.
    @unsafe private struct Object {
        var base = unsafe sqlite3_vtab()
        let table: Unmanaged<ModuleTable>
    }

    /// SQLite's object for a cursor, and the cursor, which the object owns.
    @unsafe private struct CursorObject {
        var base = unsafe sqlite3_vtab_cursor()
        let cursor: Unmanaged<ModuleCursor>
    }

    /// Makes a table known to its connection under a name. Because the module has no xCreate, the table exists without
    /// a declaration in the schema.
    static func register(_ table: ModuleTable, as name: String, with handle: OpaquePointer) throws {
        let context = unsafe Unmanaged.passUnretained(table).toOpaque()
        let result = unsafe sqlite3_create_module_v2(handle, name, functions, context, nil)
        guard result == SQLITE_OK else { throw table.connection.failure(result) }
    }

    /// Lives as long as the process, as SQLite requires. Nothing changes it.
    nonisolated(unsafe) private static let functions: UnsafeMutablePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var functions = sqlite3_module()
        functions.iVersion = 1
        unsafe functions.xConnect = { handle, context, _, _, result, _ in
            let table = unsafe Unmanaged<ModuleTable>.fromOpaque(context!)
            let declared = unsafe table.takeUnretainedValue()
            let code = declared.connection.declaring {
                unsafe sqlite3_declare_vtab(handle, declared.declaration)
            }
            guard code == SQLITE_OK else { return code }
            let object = UnsafeMutablePointer<Object>.allocate(capacity: 1)
            unsafe object.initialize(to: Object(table: table))
            unsafe result!.pointee = UnsafeMutableRawPointer(object).assumingMemoryBound(
                to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        unsafe functions.xDisconnect = { object in
            unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: Object.self).deallocate()
            return SQLITE_OK
        }
        unsafe functions.xDestroy = functions.xDisconnect
        unsafe functions.xBestIndex = { object, info in
            unsafe table(object)._withUnsafeGuaranteedRef { unsafe $0.plan(info!) }
        }
        unsafe functions.xOpen = { object, result in
            let cursor = unsafe table(object)._withUnsafeGuaranteedRef { $0.cursor() }
            let opened = UnsafeMutablePointer<CursorObject>.allocate(capacity: 1)
            unsafe opened.initialize(to: CursorObject(cursor: Unmanaged.passRetained(cursor)))
            unsafe result!.pointee = UnsafeMutableRawPointer(opened).assumingMemoryBound(
                to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        unsafe functions.xClose = { object in
            unsafe cursor(object).release()
            unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self).deallocate()
            return SQLITE_OK
        }
        unsafe functions.xFilter = { object, number, _, count, values in
            unsafe calling(object) { cursor in
                let values = unsafe UnsafeBufferPointer(start: values, count: Int(count))
                try unsafe cursor.start(Int(number), values)
            }
        }
        unsafe functions.xNext = { object in unsafe calling(object) { try $0.advance() } }
        unsafe functions.xEof = { object in
            unsafe cursor(object)._withUnsafeGuaranteedRef { $0.isAtEnd ? 1 : 0 }
        }
        unsafe functions.xColumn = { object, context, column in
            unsafe calling(object) { try unsafe $0.write(Int(column), to: context!) }
        }
        unsafe functions.xRowid = { object, result in
            unsafe result!.pointee = cursor(object)._withUnsafeGuaranteedRef { $0.rowid }
            return SQLITE_OK
        }
        unsafe module.initialize(to: functions)
        return unsafe module
    }()

    @inline(__always)
    private static func table(_ object: UnsafeMutablePointer<sqlite3_vtab>?) -> Unmanaged<ModuleTable> {
        unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: Object.self).pointee.table
    }

    @inline(__always)
    private static func cursor(
        _ object: UnsafeMutablePointer<sqlite3_vtab_cursor>?
    ) -> Unmanaged<ModuleCursor> {
        unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self).pointee.cursor
    }

    /// Runs a function of a cursor, which keeps an error for the statement.
    @inline(__always)
    private static func calling(
        _ object: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (ModuleCursor) throws -> Void
    ) -> Int32 {
        unsafe cursor(object)._withUnsafeGuaranteedRef { cursor in
            do {
                try body(cursor)
                return SQLITE_OK
            } catch {
                cursor.fail(error)
                return SQLITE_ERROR
            }
        }
    }
}

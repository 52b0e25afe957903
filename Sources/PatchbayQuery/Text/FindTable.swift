import CSQLite
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// The table `find('words')`, or `find('words', 'issues, pulls')`, of a statement: the rows in whose texts the words
/// occur, the best first.
enum FindTable {
    static let name = "find"

    /// The columns, and the arguments, which are hidden columns.
    private enum Column: Int32, CaseIterable {
        case rank, resource, source, key, handle, title, excerpt, words, tables

        var isArgument: Bool { self == .words || self == .tables }
        var declaration: String { "\(self) \(self == .rank ? "INTEGER" : "TEXT")" }
    }

    /// The declaration for people.
    ///
    /// - Parameter names: those of the tables with texts.
    static func text(_ names: [String]) -> String {
        let columns = Column.allCases.filter { !$0.isArgument }.map { "    \($0.declaration)" }
        return """
            -- find('words') ranks rows of \(names.joined(separator: ", ")) by the words of their texts;
            -- find('words', '\(names[0])') only those of some tables. key is the _key of the row in the table resource
            CREATE TABLE find (
            \(columns.joined(separator: ",\n"))
            );

            """
    }

    // MARK: Plans

    /// Plans are negative numbers, because others are places in ``SQLConnection/plans``: which arguments there are.
    private enum Plan: Int32 {
        case words = -1, wordsInTables = -2, nothing = -3
    }

    /// Whether a description of a plan by SQLite begins with a number of this table.
    static func isPlan(_ number: Substring) -> Bool { number.hasPrefix("-") }

    private static func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> Int32 {
        var places: [Column: Int] = [:]
        for place in 0..<Int(unsafe info.pointee.nConstraint) {
            let constraint = unsafe info.pointee.aConstraint[place]
            guard Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ,
                let column = Column(rawValue: constraint.iColumn), column.isArgument
            else { continue }
            // The argument is a value of another table, which has to be read first.
            guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
            places[column] = place
        }
        for (number, column) in [Column.words, .tables].enumerated() {
            guard let place = places[column] else { break }
            unsafe info.pointee.aConstraintUsage[place].argvIndex = Int32(number + 1)
            unsafe info.pointee.aConstraintUsage[place].omit = 1
        }
        let plan: Plan = places[.words] == nil ? .nothing : places[.tables] == nil ? .words : .wordsInTables
        unsafe info.pointee.idxNum = plan.rawValue
        if unsafe info.pointee.nOrderBy == 1 {
            let order = unsafe info.pointee.aOrderBy[0]
            unsafe info.pointee.orderByConsumed =
                order.iColumn == Column.rank.rawValue && order.desc == 0 ? 1 : 0
        }
        // A search is dearer than a row, so that a joined table does not repeat it.
        unsafe info.pointee.estimatedCost = 10_000
        unsafe info.pointee.estimatedRows = 1_000
        return SQLITE_OK
    }

    // MARK: The module

    @unsafe private struct Object {
        var base = unsafe sqlite3_vtab()
        let connection: Unmanaged<SQLConnection>
    }

    @unsafe private struct CursorObject {
        var base = unsafe sqlite3_vtab_cursor()
        let cursor: Unmanaged<FindCursor>
    }

    /// Makes the table known to a connection, as `OpenTable.register(_:with:)` does.
    static func register(with connection: SQLConnection, _ handle: OpaquePointer) throws {
        let context = unsafe Unmanaged.passUnretained(connection).toOpaque()
        let result = unsafe sqlite3_create_module_v2(handle, name, Self.module, context, nil)
        guard result == SQLITE_OK else { throw connection.failure(result) }
    }

    /// Lives as long as the process, as SQLite requires. Nothing changes it.
    nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var functions = sqlite3_module()
        functions.iVersion = 1
        unsafe functions.xConnect = { handle, context, _, _, result, _ in
            let connection = unsafe Unmanaged<SQLConnection>.fromOpaque(context!)
            let columns = Column.allCases.map { $0.declaration + ($0.isArgument ? " HIDDEN" : "") }
            let code = unsafe connection.takeUnretainedValue().declaring {
                unsafe sqlite3_declare_vtab(handle, "CREATE TABLE x(\(columns.joined(separator: ", ")))")
            }
            guard code == SQLITE_OK else { return code }
            let object = UnsafeMutablePointer<Object>.allocate(capacity: 1)
            unsafe object.initialize(to: Object(connection: connection))
            unsafe result!.pointee = UnsafeMutableRawPointer(object).assumingMemoryBound(
                to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        unsafe functions.xDisconnect = { object in
            unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: Object.self).deallocate()
            return SQLITE_OK
        }
        unsafe functions.xDestroy = functions.xDisconnect
        unsafe functions.xBestIndex = { _, info in unsafe FindTable.plan(info!) }
        unsafe functions.xOpen = { object, result in
            let table = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: Object.self)
            let cursor = unsafe FindCursor(table.pointee.connection.takeUnretainedValue())
            let opened = UnsafeMutablePointer<CursorObject>.allocate(capacity: 1)
            unsafe opened.initialize(to: CursorObject(cursor: Unmanaged.passRetained(cursor)))
            unsafe result!.pointee = UnsafeMutableRawPointer(opened).assumingMemoryBound(
                to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        unsafe functions.xClose = { object in
            let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
            unsafe opened.pointee.cursor.release()
            unsafe opened.deallocate()
            return SQLITE_OK
        }
        unsafe functions.xFilter = { object, number, _, count, values in
            let texts = (0..<Int(count)).map { place -> String? in
                let start = unsafe sqlite3_value_text(values![place])
                return unsafe start.map { unsafe String(cString: $0) }
            }
            return unsafe cursor(object) { cursor in
                guard Plan(rawValue: number) != .nothing else {
                    throw PatchbayError(.invalidValue, "find needs words: write FROM find('words')")
                }
                try cursor.start(texts)
            }
        }
        unsafe functions.xNext = { object in unsafe cursor(object) { try $0.advance() } }
        unsafe functions.xEof = { object in
            let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
            return unsafe opened.pointee.cursor._withUnsafeGuaranteedRef { $0.isAtEnd ? 1 : 0 }
        }
        unsafe functions.xColumn = { object, context, column in
            unsafe cursor(object) { cursor in
                switch Column(rawValue: column) {
                case .rank: unsafe sqlite3_result_int64(context, cursor.rank)
                case .resource: unsafe write(cursor.resource, to: context!)
                case .source: unsafe write(cursor.item?.resource.api, to: context!)
                case .key: unsafe write(cursor.item?.keyText, to: context!)
                case .handle: unsafe write(cursor.item?.handle, to: context!)
                case .title: unsafe write(cursor.item?.title, to: context!)
                case .excerpt: unsafe write(try cursor.excerpt(), to: context!)
                case .words: unsafe write(cursor.arguments.first ?? nil, to: context!)
                case .tables: unsafe write(cursor.arguments.dropFirst().first ?? nil, to: context!)
                case nil: unsafe sqlite3_result_null(context)
                }
            }
        }
        unsafe functions.xRowid = { object, result in
            unsafe cursor(object) { unsafe result!.pointee = $0.rank }
        }
        unsafe module.initialize(to: functions)
        return unsafe module
    }()

    /// Runs a function of a cursor; an error is kept for the statement.
    private static func cursor(
        _ object: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (FindCursor) throws -> Void
    ) -> Int32 {
        let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
        return unsafe opened.pointee.cursor._withUnsafeGuaranteedRef { cursor in
            do {
                try body(cursor)
                return SQLITE_OK
            } catch {
                cursor.fail(error)
                return SQLITE_ERROR
            }
        }
    }

    private static func write(_ text: String?, to context: OpaquePointer) {
        guard let text else { return unsafe sqlite3_result_null(context) }
        unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe RowCursor.write($0, to: context) }
    }
}

/// The rows that `find` has found, while a statement reads them.
private final class FindCursor {
    private unowned let connection: SQLConnection
    private var matches: TextMatches?
    private var match: TextMatches.Match?
    private(set) var item: Item?
    /// The place of the row among those that were found, from 1 on.
    private(set) var rank: Int64 = 0
    private(set) var arguments: [String?] = []

    init(_ connection: SQLConnection) { self.connection = connection }

    var isAtEnd: Bool { item == nil }
    var resource: String? { item.flatMap { texts.names[$0.resource] } }

    private var texts: StatementTexts {
        guard let texts = connection.begun.texts else {
            preconditionFailure("a statement with find has texts")
        }
        return texts
    }

    /// - Parameter arguments: the words, and perhaps the tables. There are no rows for null.
    func start(_ arguments: [String?]) throws {
        self.arguments = arguments
        (matches, match, item, rank) = (nil, nil, nil, 0)
        try connection.checkTime()
        guard let words = arguments[0], !arguments.contains(nil) else { return }
        matches = try texts.matches(words, in: arguments.count > 1 ? arguments[1] : nil)
        try advance()
    }

    func advance() throws {
        (match, item) = (nil, nil)
        while let next = try matches?.next() {
            try connection.checkTime()
            guard let found = try matches?.item(of: next, connection.reading) else {
                texts.noteMismatch()
                continue
            }
            rank += 1
            return (match, item) = (next, found)
        }
    }

    func excerpt() throws -> String? { try match.flatMap { try matches?.excerpt($0).bracketed } }

    /// Keeps an error for the statement.
    func fail(_ error: any Error) {
        connection.fail((error as? TextFailure).map { texts.error($0) } ?? error)
    }
}

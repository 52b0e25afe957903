import CSQLite
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// The table `find('words')`, or `find('words', 'issues, pulls')`, of a statement: the rows in whose texts the words
/// occur, the best first.
final class FindTable: ModuleTable {
    static let name = "find"

    /// The columns, and the arguments, which are hidden columns.
    fileprivate enum Column: Int32, CaseIterable {
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
    fileprivate enum Plan: Int32 {
        case words = -1, wordsInTables = -2, nothing = -3
    }

    /// Whether a description of a plan by SQLite begins with a number of this table.
    static func isPlan(_ number: Substring) -> Bool { number.hasPrefix("-") }

    init(_ connection: SQLConnection) {
        let columns = Column.allCases.map { $0.declaration + ($0.isArgument ? " HIDDEN" : "") }
        super.init("CREATE TABLE x(\(columns.joined(separator: ", ")))", of: connection)
    }

    override func cursor() -> ModuleCursor { FindCursor(connection) }

    override func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> Int32 {
        connection.use(Self.name)
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
}

/// The rows that `find` has found, while a statement reads them.
private final class FindCursor: ModuleCursor {
    private unowned let connection: SQLConnection
    private var matches: TextMatches?
    private var match: TextMatches.Match?
    private var item: Item?
    /// The place of the row among those that were found, from 1 on.
    private var rank: Int64 = 0
    /// The words, and perhaps the tables. There are no rows for null.
    private var arguments: [String?] = []

    init(_ connection: SQLConnection) { self.connection = connection }

    override var isAtEnd: Bool { item == nil }
    override var rowid: Int64 { rank }

    private var texts: StatementTexts {
        get throws {
            guard let texts = connection.begun.texts else {
                throw PatchbayError(.internalError, "the index of words was not opened for the statement")
            }
            return texts
        }
    }

    override func start(_ number: Int, _ values: UnsafeBufferPointer<OpaquePointer?>) throws {
        guard FindTable.Plan(rawValue: Int32(number)) != .nothing else {
            // SQLite 3.40 does not pass arguments there.
            throw PatchbayError(
                .invalidValue,
                connection.traits.keepsRightRows
                    ? "find cannot be to the right of RIGHT JOIN; write FROM find('words') LEFT JOIN ..."
                    : "find needs words: write FROM find('words')")
        }
        arguments = unsafe values.map { value in
            let start = unsafe sqlite3_value_text(value)
            return unsafe start.map { unsafe String(cString: $0) }
        }
        (matches, match, item, rank) = (nil, nil, nil, 0)
        try connection.checkTime()
        guard let words = arguments[0], !arguments.contains(nil) else { return }
        matches = try texts.matches(words, in: arguments.count > 1 ? arguments[1] : nil)
        try advance()
    }

    override func advance() throws {
        (match, item) = (nil, nil)
        while let next = try matches?.next() {
            try connection.checkTime()
            guard let found = try matches?.item(of: next, connection.reading) else {
                try texts.noteMismatch()
                continue
            }
            rank += 1
            return (match, item) = (next, found)
        }
        if matches?.lacksTexts == true { try texts.noteMismatch() }
    }

    override func write(_ column: Int, to context: OpaquePointer) throws {
        switch FindTable.Column(rawValue: Int32(column)) {
        case .rank: unsafe sqlite3_result_int64(context, rank)
        case .resource: unsafe write(try item.flatMap { try texts.names[$0.resource] }, to: context)
        case .source: unsafe write(item?.resource.api, to: context)
        case .key: unsafe write(item?.keyText, to: context)
        case .handle: unsafe write(item?.handle, to: context)
        case .title: unsafe write(item?.title, to: context)
        case .excerpt:
            unsafe write(try match.flatMap { try matches?.excerpt($0).bracketed }, to: context)
        case .words: unsafe write(arguments.first ?? nil, to: context)
        case .tables: unsafe write(arguments.dropFirst().first ?? nil, to: context)
        case nil: unsafe sqlite3_result_null(context)
        }
    }

    private func write(_ text: String?, to context: OpaquePointer) {
        guard let text else { return unsafe sqlite3_result_null(context) }
        unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe RowCursor.write($0, to: context) }
    }

    override func fail(_ error: any Error) {
        connection.fail((error as? TextFailure).flatMap { connection.begun.texts?.error($0) } ?? error)
    }
}

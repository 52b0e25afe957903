import PatchbayCore

/// Reads on one connection, in a transaction that begins with the first read.
class ReadTransaction: StorageReader {
    let connection: Connection
    private var tables: Tables<Table>
    /// Whether BEGIN was sent.
    var isBegun = false
    /// The error of the server or the connection that has ended the transaction.
    private(set) var failure: ServerError?
    /// Whether the server has answered, in which case the body may have seen rows.
    private(set) var isAnswered = false

    private static let beginning = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    private static let ending = Statement("COMMIT")
    /// The number of rows in the first and the following fetches of a walk of unknown length.
    private static let pieces = [32, 128, 512]
    /// The approximate size of the rows that are fetched at once.
    private static let pieceBytes = 4 << 20

    init(_ collections: [CollectionSchema], _ connection: Connection) {
        self.connection = connection
        tables = Tables(collections) { Table($0, connection.options) }
    }

    /// Prepares for another transaction.
    func reset() {
        isBegun = false
        failure = nil
        isAnswered = false
    }

    // MARK: Overridden for writes

    /// Sends the start of the transaction.
    func sendBeginning() throws(ServerError) {
        try connection.send(Self.beginning)
        try connection.sendSettingsOfTransaction()
    }

    /// Sends pending changes that a read of the table must see.
    func sendBefore(reading table: Table) throws(ServerError) {}

    /// Ends the transaction without waiting for the answer.
    func end() {
        guard isBegun, failure?.endsConnection != true else { return }
        // If the connection is lost here, the next transaction finds out.
        try? connection.send(Self.ending)
        try? connection.finishLater()
    }

    final func table(of collection: CollectionSchema) throws -> Table { try tables[collection] }

    /// Runs a conversation with the server, after starting the transaction if necessary.
    ///
    /// - Throws: a `PatchbayError`; after the first one, every further call throws it again.
    final func talk<Result>(_ body: () throws(ServerError) -> Result) throws -> Result {
        if let failure { throw failure.patchbayError }
        do throws(ServerError) {
            if !isBegun {
                isBegun = true
                try sendBeginning()
            }
            return try body()
        } catch {
            failure = error
            throw error.patchbayError
        }
    }

    private func answer(_ table: Table, _ shape: StatementShape, _ arguments: Arguments) throws -> Answer {
        let answer = try talk { () throws(ServerError) in
            try sendBefore(reading: table)
            try connection.send(table.statement(shape), arguments, isAnswered: true)
            return try connection.finish()
        }
        guard let answer else { throw PatchbayError(.internalError, "the server sent no answer") }
        isAnswered = true
        return answer
    }

    // MARK: StorageReader

    final func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        let table = try tables[collection]
        guard let arguments = try collection.arguments(key) else { return false }
        let columns = table.columns(table.selected(fields, index: nil))
        let answer = try answer(
            table, StatementShape(kind: .get, fields: table.selected(fields, index: nil)), arguments)
        guard answer.rowCount > 0 else { return false }
        var packing = RowPacking(columns, server: connection.server)
        try packing.check(answer)
        try packing.visit(0, of: answer, visit)
        return true
    }

    final func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        let table = try tables[query.collection], index = query.indexPlace
        let fields = table.selected(query.fields, index: index)
        var range = try WalkRange(query, isIntegerKey: index == nil && table.hasIntegerKey)
        var packing = RowPacking(table.columns(fields), server: connection.server)
        var left = query.limit, pieceNumber = 0
        while left > 0, !range.isEmpty {
            let rowsMax = Self.rows(of: pieceNumber, left: left, longestRow: packing.longestRow)
            let shape = StatementShape(
                kind: .walk(rowsMax: rowsMax), index: index, isDescending: query.order == .descending,
                isBounded: !range.isWhole, hasUpper: range.hasUpper, fields: fields)
            let answer = try answer(table, shape, range.isWhole ? Arguments() : range.arguments)
            if answer.rowCount > 0 { try packing.check(answer) }
            let count = min(answer.rowCount, left)
            for row in 0..<count {
                let step = try packing.visit(row, of: answer, visit)
                if step == .stop { return }
            }
            left -= count
            if left == 0 || answer.rowCount < rowsMax { return }
            try packing.visit(count - 1, of: answer) { row in
                try range.pass(row, query.collection, query.index)
            }
            pieceNumber += 1
        }
    }

    /// Returns the number of rows to fetch. It has few different values, because each one makes another statement.
    private static func rows(of piece: Int, left: Int, longestRow: Int) -> Int {
        if left <= pieces[1] / 2, piece == 0 { return left }
        let wanted = pieces[min(piece, pieces.count - 1)]
        let affordable = max(1, pieceBytes / longestRow)
        return affordable >= wanted ? wanted : 1 << (Int.bitWidth - 1 - affordable.leadingZeroBitCount)
    }

    final func count(_ query: Query) throws -> Int {
        let table = try tables[query.collection], index = query.indexPlace
        let range = try WalkRange(query, isIntegerKey: index == nil && table.hasIntegerKey)
        if range.isEmpty || query.limit == 0 { return 0 }
        if query.limit == .max {
            let shape = StatementShape(
                kind: .count, index: index, isBounded: !range.isWhole, hasUpper: range.hasUpper)
            let arguments = range.isWhole ? Arguments() : range.arguments
            return Int(try answer(table, shape, arguments).integer(0, 0))
        }
        var arguments = range.arguments
        arguments.append(Int64(query.limit))
        let shape = StatementShape(kind: .countUpToLimit, index: index, hasUpper: range.hasUpper)
        return Int(try answer(table, shape, arguments).integer(0, 0))
    }
}

extension CollectionSchema {
    /// Returns the values of a primary key, or nil when the key names only its first parts and thus matches no row.
    ///
    /// - Throws: `invalidValue` for a key that is too long.
    func arguments(_ key: Key) throws -> Arguments? {
        // Throws the same error as the other storages for a key that none of them accepts.
        var encoded: [UInt8] = []
        try appendKey(key, in: primaryKey, to: &encoded)
        let values = key.values
        guard values.count == primaryKey.parts.count else { return nil }
        var arguments = Arguments()
        for value in values {
            switch value {
            case .integer(let number): arguments.append(number)
            case .text(let text): arguments.append(text)
            case .null, .compound: return nil
            }
        }
        return arguments
    }
}

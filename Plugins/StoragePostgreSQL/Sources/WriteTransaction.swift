import PatchbayCore

/// Reads and writes on the connection that writes.
///
/// Rows that are put are buffered until a read must see them, there are many of them, or the transaction ends. A small
/// write thus goes to the server in one message, from BEGIN to COMMIT.
final class WriteTransaction: ReadTransaction, StorageWriter {
    private let store: OpenedStore
    private var pending: [PendingRows] = []
    private var encoding = RowEncoding()
    /// Whether there are changes to commit.
    private(set) var isChanged = false
    /// The encoded last key of each table where it is known; empty for an empty table.
    private var ends: [String: [UInt8]] = [:]

    private let locking: Statement
    private let recording: Statement
    private static let beginning = Statement("BEGIN")
    private static let committing = Statement("COMMIT")
    private static let rollingBack = Statement("ROLLBACK")
    private var piecesSent = 0
    private static let piecesBetweenAnswers = 16
    /// The number of rows from which COPY is faster, including the wait for its answers.
    private static let copiedRowsMin = 200

    init(_ store: OpenedStore, _ connection: Connection) {
        self.store = store
        locking = StoreTables.lock(connection.options)
        recording = StoreTables.record(connection.options)
        super.init(store.schema.collections, connection)
    }

    /// The table's identity in this server and timeline. A failover, and a restored copy, have another one.
    var identity: StorageIdentity? {
        if let place = connection.place { return StorageIdentity(place: place) }
        let answer = try? talk { () throws(ServerError) in
            try connection.send(StoreTables.place(connection.options), isAnswered: true)
            return try connection.finish()
        }
        // After an error the transaction fails anyway.
        guard let answer, answer.rowCount == 1 else { return nil }
        let words = store.identity.map { String($0, radix: 16) }.joined()
        let numbers = (0..<StoreTables.placeColumns).map { String(answer.integer(0, $0)) }
        let place = ([words] + numbers).joined(separator: " ")
        if connection.isDirect { connection.place = place }
        return StorageIdentity(place: place)
    }

    override func reset() {
        super.reset()
        pending = []
        ends = [:]
        isChanged = false
        connection.endLongLimits()
    }

    // MARK: Beginning and ending

    override func sendBeginning() throws(ServerError) {
        try connection.send(Self.beginning)
        try connection.sendSettingsOfTransaction()
        var arguments = Arguments()
        arguments.append(store.identity)
        arguments.append(Int64(store.schema.version))
        try connection.send(locking, arguments)
    }

    override func sendBefore(reading table: Table) throws(ServerError) {
        guard let place = pending.firstIndex(where: { $0.table === table }) else { return }
        try send(pending.remove(at: place))
    }

    /// Sends the remaining rows and COMMIT, and waits until the server has made them durable.
    ///
    /// - Parameter token: identifies this commit.
    /// - Returns: the revision after the commit, or nil when nothing has changed.
    func commit(_ token: UInt128) throws -> Int64? {
        guard isChanged else {
            end()
            return nil
        }
        let answer = try talk { () throws(ServerError) in
            while let rows = pending.popLast() { try send(rows) }
            try connection.send(recording, Arguments(token), isAnswered: true)
            connection.forgetWarnings()
            try connection.send(Self.committing)
            return try connection.finish()
        }
        return answer?.integer(0, 0)
    }

    /// Returns whether the commit with this token took effect; see ``StoreTables/settle(_:)``.
    func settle(_ token: UInt128) throws -> Bool {
        isBegun = true
        let answer = try talk { () throws(ServerError) in
            try connection.send(Self.beginning)
            try connection.sendSettingsOfTransaction()
            try connection.send(StoreTables.settle(connection.options), Arguments(token), isAnswered: true)
            try connection.send(Self.committing)
            return try connection.finish()
        }
        isBegun = false
        return answer.map { $0.rowCount == 1 && !$0.boolean(0, 0) } ?? false
    }

    /// Rolls the transaction back.
    override func end() {
        guard isBegun, failure?.endsConnection != true else { return }
        // A failed statement aborts the pipeline, so its results are received before ROLLBACK is sent. If the
        // connection is lost here, the next transaction finds out.
        _ = try? connection.finish()
        try? connection.send(Self.rollingBack)
        _ = try? connection.finish()
    }

    // MARK: StorageWriter

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        if let failure { throw failure.patchbayError }
        let table = try table(of: collection)
        try table.keyLengths.check(row)
        // Checked with a query, because a statement that fails would end the transaction.
        if let conflict = try conflict(of: row, in: collection) { throw conflict }
        let place = pending.firstIndex { $0.table === table } ?? pending.endIndex
        if place == pending.endIndex { pending.append(PendingRows(table)) }
        if try !pending[place].add(row) {
            try talk { () throws(ServerError) in
                try send(pending[place])
                try sendPoint()
            }
            pending[place] = PendingRows(table)
            _ = try pending[place].add(row)
        }
        isChanged = true
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        let table = try table(of: collection)
        guard let arguments = try collection.arguments(key) else { return false }
        let answer = try talk { () throws(ServerError) in
            try sendBefore(reading: table)
            try connection.send(table.delete, arguments, isAnswered: true)
            return try connection.finish()
        }
        guard let answer, answer.changedRows > 0 else { return false }
        isChanged = true
        return true
    }

    func deleteAll(in collection: CollectionSchema) throws {
        let table = try table(of: collection)
        pending.removeAll { $0.table === table }
        ends[collection.name] = nil
        try talk { () throws(ServerError) in
            try connection.sendLongLimits()
            try connection.send(table.deleteAll)
        }
        isChanged = true
    }

    // MARK: Sending rows

    /// Ends a batch of a large transaction. Between batches the server sees the session as idle, so it can end a
    /// writer that hangs. The answers are received from time to time, so that an error does not surface only at the
    /// end.
    private func sendPoint() throws(ServerError) {
        piecesSent += 1
        if piecesSent.isMultiple(of: Self.piecesBetweenAnswers) {
            _ = try connection.finish()
        } else {
            try connection.finishLater()
        }
    }

    private func send(_ pending: PendingRows) throws(ServerError) {
        let rows = pending.rows, table = pending.table
        if rows.count >= Self.copiedRowsMin, let keys = pending.ascending,
            try end(of: table).lexicographicallyPrecedes(keys.first)
        {
            try unsafe connection.copy(table.copy, unsafe encoding.copyFormat(rows))
            ends[table.collection.name] = keys.last
            return
        }
        // The last key is not tracked any further.
        ends[table.collection.name] = nil
        let connection = connection
        let outcome = sendStatement(rows, table, connection)
        try outcome.get()
    }

    private func sendStatement(
        _ rows: RowBatch, _ table: Table, _ connection: Connection
    ) -> Result<Void, ServerError> {
        if rows.count == 1 {
            return unsafe encoding.withValues(rows.row(0), table.collection) { values, lengths in
                Result { () throws(ServerError) in
                    unsafe try connection.send(table.putOne, values, lengths)
                }
            }
        }
        return unsafe encoding.withArrays(rows) { values, lengths in
            Result { () throws(ServerError) in
                unsafe try connection.send(table.putMany, values, lengths)
            }
        }
    }

    /// Returns the entry of a table's last row in the order of the primary key, or an empty one when there is no row.
    private func end(of table: Table) throws(ServerError) -> [UInt8] {
        let collection = table.collection
        if let known = ends[collection.name] { return known }
        let shape = StatementShape(
            kind: .walk(rowsMax: 1), isDescending: true, isBounded: false,
            fields: table.selected([], index: nil))
        try connection.send(table.statement(shape), isAnswered: true)
        var end: [UInt8] = []
        if let answer = try connection.finish(), answer.rowCount > 0 {
            let positions = shape.fields.positions
            for part in collection.primaryKey.parts {
                let column = positions.firstIndex(of: part.position) ?? 0
                if collection.fields[part.position].type == .integer {
                    KeyEncoding.append(answer.integer(0, column), to: &end)
                } else {
                    unsafe end.append(contentsOf: answer.bytes(0, column))
                    end.append(0)
                }
            }
        }
        ends[collection.name] = end
        return end
    }
}

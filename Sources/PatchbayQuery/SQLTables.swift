package import PatchbayCore
package import PatchbayDomain
public import PatchbayGateway

/// The resources of one or several gateways as tables of SQL.
///
///     let tables = try SQLTables(gateways)
///     let rows = try await tables.query("SELECT language, count(*) AS n FROM repos GROUP BY 1 ORDER BY 2 DESC")
///     for try await row in rows { print(row[0], row[1]) }
///
/// A statement reads the storage, whichever it is, in one read transaction, so it sees one snapshot. No request is
/// sent. It is a single SELECT in SQLite's dialect. `Gateway.query(_:_:limits:)` is the short form; a program that
/// asks often keeps the tables.
///
/// The rows that lists show are in `repos`; `repos_all` also has those that the source no longer lists. The source may
/// be named: `github_repos`. If several sources have `users`, it must be. Docs/AskingQuestions.md describes the
/// columns.
public final class SQLTables: Sendable {
    /// The tables by all the names that statements may use.
    let tables: [String: QueryTable]
    /// The short names that several tables could have, with the names that distinguish these.
    let ambiguous: [String: [String]]
    /// One name for each table, those without `_all` first.
    package let names: [String]
    private let store: Store
    private let gateways: [Gateway]
    /// What `find` searches.
    private let texts: LaterTextIndex
    private let now: @Sendable () -> Timestamp
    /// As many as there are threads, so that a statement with a thread has a connection, too.
    private let connections = Pool<SQLConnection>(
        membersMax: threadsMax, whenClosed: PatchbayError(.internalError, "the tables are closed"))

    /// Run statements. Few, because each occupies one of a storage's connections while it runs; of eight, SQLite keeps
    /// two for other reads. A server's clients share them, so that one of them cannot keep out the others.
    private let threads: StorageThreads
    /// The threads of this process.
    private static let sharedThreads = threads(patience: .seconds(10))
    private static let threadsMax = 6

    /// Threads for statements.
    ///
    /// - Parameter patience: how long a statement waits for one of them.
    static func threads(patience: Duration) -> StorageThreads {
        StorageThreads(threadsMax: threadsMax, patience: patience, of: "queries have been running")
    }

    /// Makes the tables of gateways that share a storage.
    ///
    /// - Throws: `unsupported` for gateways with different storages, because a statement reads one.
    public convenience init(_ gateways: [Gateway]) throws {
        try self.init(gateways, Self.sharedThreads)
    }

    /// The same with threads that no other tables use, for tests that run beside others.
    convenience init(_ gateways: [Gateway], _ threads: StorageThreads) throws {
        let first = try gateways.first(ofOneStorageFor: "a query")
        self.init(
            gateways.flatMap(\.resources), among: gateways, first.store, LaterTextIndex(gateways), threads,
            now: first.clock.now)
    }

    /// Makes the tables of several sources.
    public convenience init(_ gateways: Gateways) {
        self.init(
            gateways.resources, among: gateways.all, gateways.store, LaterTextIndex(gateways.all),
            now: gateways.all[0].clock.now)
    }

    /// Makes the tables of some resources, or of views of them.
    ///
    /// - Parameters:
    ///   - gateways: those of the resources, or of the resources that they are views of.
    ///   - texts: the index of the same resources.
    init(
        _ resources: [Resource], among gateways: [Gateway], _ store: Store, _ texts: LaterTextIndex,
        _ threads: StorageThreads = sharedThreads, now: @escaping @Sendable () -> Timestamp
    ) {
        self.gateways = gateways
        self.store = store
        self.texts = texts
        self.threads = threads
        self.now = now
        let named = TableNames(resources)
        tables = named.tables
        ambiguous = named.ambiguous
        names = named.names
        connections.open { [tables] in
            try SQLConnection(tables.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 })
        }
    }

    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - sql: a SELECT.
    ///   - parameters: the values of `:name` in the statement.
    /// - Returns: the rows, which the statement produces while they are read.
    /// - Throws: `invalidValue` for a statement that is not valid or would do more than read, `busy` while other
    ///   statements occupy all threads, and the errors of the storage.
    public func query(
        _ sql: String, _ parameters: [String: SQLValue] = [:], limits: SQLLimits = SQLLimits()
    ) async throws -> SQLRows {
        try await query(sql, parameters, limits: limits) { _ in }
    }

    /// The same with the progress of the work on the index that `find` needs.
    package func query(
        _ sql: String, _ parameters: [String: SQLValue], limits: SQLLimits,
        progress: @escaping WorkProgress.Handler
    ) async throws -> SQLRows {
        if let rows = try await briefly(sql, parameters, limits) { return rows }
        let buffer = RowBuffer()
        let session = SQLSession(buffer)
        // The statement outlives this call. It ends when the session does.
        try await threads.start { await self.run(sql, parameters, limits, buffer, progress) }
        return SQLRows(columns: try await buffer.opened(), session: session)
    }

    /// Runs a statement on the thread of the caller, as ``Store`` reads, because waking another thread takes longer
    /// than a short one.
    ///
    /// - Returns: nil if it takes longer or has more rows than that, so that it has to begin again on another thread.
    private func briefly(
        _ sql: String, _ parameters: [String: SQLValue], _ limits: SQLLimits
    ) async throws -> SQLRows? {
        guard store.waitsOnCaller, !mayFind(sql) else { return nil }
        let buffer = RowBuffer(briefUntil: .now + Self.briefMax)
        do {
            let (ending, rest) = try await answer(sql, parameters, limits, buffer, nil)
            buffer.end(.success(ending), rest)
            return SQLRows(columns: rest.columns, session: SQLSession(buffer))
        } catch StatementRun.Stop.long {
            return nil
        }
    }

    private static let briefMax = Duration.milliseconds(1)

    /// Runs a statement on the thread of the caller, and ends the buffer there, so that the reader need not wait for
    /// another thread.
    private func run(
        _ sql: String, _ parameters: [String: SQLValue], _ limits: SQLLimits, _ buffer: RowBuffer,
        _ progress: @escaping WorkProgress.Handler
    ) async {
        do {
            let (ending, rest) = try await answer(sql, parameters, limits, buffer, progress)
            buffer.end(.success(ending), rest)
        } catch {
            buffer.end(.failure(error))
        }
    }

    /// - Parameter progress: that of the work on the index; nil for a statement that does not have the word `find`.
    private func answer(
        _ sql: String, _ parameters: [String: SQLValue], _ limits: SQLLimits, _ buffer: RowBuffer,
        _ progress: WorkProgress.Handler?
    ) async throws -> (SQLEnding, RowBuffer.Part) {
        var finding: WorkProgress.Handler?
        if let progress, try await finds(sql) { finding = progress }
        return try await readingHere(sql, limits, buffer, finding: finding) { connection, reading in
            var uses: [SQLTableUse] = []
            let (limit, rest) = try connection.run(sql, parameters) { used in
                // Read before the first row is passed on. Until then, the storage may begin the transaction again.
                let names = used.union(connection.begun.texts?.names.values.map(\.self) ?? [])
                uses = try names.sorted().compactMap { self.tables[$0] }.map {
                    try reading.use(of: $0.resource, as: $0.name, among: self.gateways)
                }
            }
            let texts = connection.begun.texts, used = connection.used
            let read = uses.filter { used.contains($0.name) || texts?.searched.contains($0.resource) == true }
            return (SQLEnding(limit: limit, tables: read, missingTexts: texts?.missing), rest)
        }
    }

    /// Whether a statement names `find`, which needs the index.
    private func finds(_ sql: String) async throws -> Bool {
        guard mayFind(sql) else { return false }
        return try await readingHere(sql) { connection, _ in
            _ = try PreparedStatement(sql, connection)
            return connection.used.contains(FindTable.name)
        }
    }

    private func mayFind(_ sql: String) -> Bool { sql.lowercased().contains(FindTable.name) }

    /// The resources of the tables that a statement names, without those that `find` searches.
    ///
    /// - Throws: the errors of ``query(_:_:limits:)``.
    package func resources(named sql: String) async throws -> [Resource] {
        try await reading(sql) { connection, _ in
            _ = try PreparedStatement(sql, connection)
            var resources: [Resource] = []
            for resource in connection.used.sorted().compactMap({ self.tables[$0]?.resource })
            where !resources.contains(resource) {
                resources.append(resource)
            }
            return resources
        }
    }

    /// Runs work with a connection that has begun a statement, in a read transaction, on a thread that may wait.
    func reading<Result: Sendable>(
        _ sql: String, _ limits: SQLLimits = SQLLimits(),
        _ body: @escaping @Sendable (SQLConnection, borrowing Reading) throws -> Result
    ) async throws -> Result {
        try await threads.run { try await self.readingHere(sql, limits, RowBuffer(), body) }
    }

    /// The same on the thread of the caller.
    ///
    /// - Parameters:
    ///   - buffer: takes the rows of a statement that is not only prepared.
    ///   - finding: the progress of the work on the index, which is in the same snapshot; nil for a statement without
    ///     `find`. That work does not count for the limit of time.
    private func readingHere<Result: Sendable>(
        _ sql: String, _ limits: SQLLimits = SQLLimits(), _ buffer: RowBuffer = RowBuffer(),
        finding: WorkProgress.Handler? = nil,
        _ body: @escaping @Sendable (SQLConnection, borrowing Reading) throws -> Result
    ) async throws -> Result {
        let deadline = ContinuousClock.now + limits.time
        do {
            guard let finding else {
                return try await inTransaction(nil, limits, deadline, buffer, body)!
            }
            let result = try await texts.get().inSnapshot(finding) {
                texts -> Swift.Result<Result, any Error>? in
                do {
                    let deadline = ContinuousClock.now + limits.time
                    return try await self.inTransaction(texts, limits, deadline, buffer, body).map {
                        .success($0)
                    }
                } catch {
                    // An error of the statement is none of the index, which would begin again.
                    return .failure(error)
                }
            }
            return try result.get()
        } catch let failure as SQLFailure {
            throw explained(failure, in: sql)
        } catch let stop as StatementRun.Stop {
            throw stop.error
        }
    }

    /// - Returns: nil if `find` cannot see the snapshot of the storage, and another attempt is possible.
    private func inTransaction<Result: Sendable>(
        _ texts: TextSnapshot?, _ limits: SQLLimits, _ deadline: ContinuousClock.Instant,
        _ buffer: RowBuffer,
        _ body: @escaping @Sendable (SQLConnection, borrowing Reading) throws -> Result
    ) async throws -> Result? {
        let index = texts == nil ? nil : try await self.texts.get()
        let isBrief = buffer.briefUntil != nil
        guard let connection = isBrief ? try connections.takeIdle() : try await connections.take() else {
            throw StatementRun.Stop.long
        }
        defer { connections.release(connection) }
        return try await store.read { reading in
            var found: StatementTexts?
            if let texts, let index {
                let isCurrent = try index.covers(index.fields, texts, reading)
                if !isCurrent, texts.reason == nil { return nil }
                found = StatementTexts(index.fields, texts, isCurrent: isCurrent, tables)
            }
            connection.begin(
                StatementRun(reading.snapshot, now: self.now(), limits, deadline, buffer, found))
            defer { connection.end() }
            return try body(connection, reading)
        }
    }
}

extension StatementRun.Stop {
    fileprivate var error: any Error {
        switch self {
        case .long: self
        case .abandoned: CancellationError()
        case .time: PatchbayError(.busy, "the time limit was reached before the first row")
        case .memory:
            PatchbayError(
                .invalidValue,
                "the statement sorts, groups or keeps more rows than the memory limit allows; select fewer rows or "
                    + "columns")
        }
    }
}

extension Reading {
    var snapshot: SnapshotReader { SnapshotReader(reader: reader, missing: missing) }
}

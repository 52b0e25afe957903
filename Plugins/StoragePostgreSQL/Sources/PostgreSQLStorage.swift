package import PatchbayCore
import Synchronization

/// Stores collections in a schema of a PostgreSQL database, each as a table with real columns that any SQL tool can
/// read and any number of machines can share.
///
/// Each read has its own connection and transaction; the writes of all machines run one after another. A write that
/// loses its connection runs again, unless it is found to have been committed: it takes effect exactly once.
///
///     let storage = PostgreSQLStorage(url: "postgresql://patchbay@db.example.org/rows")
///     let store = try await Store(storage, schema: schema)
///
/// Requires PostgreSQL 13 or newer on the server, and libpq 14 or newer on this machine (Debian's package libpq5),
/// which is loaded when the storage is opened.
package final class PostgreSQLStorage: Storage {
    private let options: ConnectionOptions
    private let writer: Writer
    private let readers: Pool<Reader>
    private let opened = Mutex<OpenedStore?>(nil)
    /// True once the opened storage was found to be removed or replaced.
    private let goneMark = Atomic(false)

    /// Creates a storage without connecting, which `open(_:)` does.
    ///
    /// - Parameters:
    ///   - url: a URI or `key = value` pairs as libpq accepts them, without a password. libpq takes missing parts from
    ///     its variables (`PGHOST`, `PGSERVICE` and so on), `~/.pg_service.conf`, `~/.pgpass` and its defaults.
    ///   - password: the password; nil uses the one in `~/.pgpass`, if any.
    ///   - schema: the schema that contains the tables; created when it does not exist.
    ///   - durability: the failures that a committed write survives; anything weaker than `Durability.full` sets
    ///     `synchronous_commit = off`.
    ///   - connectionsMax: the maximum number of connections, one of which writes; further reads wait in turn.
    ///   - busyTimeoutMilliseconds: the time to wait for other writers, or for a server that cannot be reached.
    ///   - connectTimeoutSeconds: the time that one attempt to connect to one server may take.
    ///   - answerTimeoutSeconds: the time to wait for an answer of the server, after which another one is used.
    package init(
        url: String = "", password: String? = nil, schema: String = "patchbay",
        durability: Durability = .full,
        connectionsMax: Int = 8, busyTimeoutMilliseconds: Int = 60_000, connectTimeoutSeconds: Int = 5,
        answerTimeoutSeconds: Int = 15
    ) {
        precondition(connectionsMax > 1, "a storage needs a connection that reads and one that writes")
        let address = ServerAddress(
            url: url, password: password, connectTimeoutSeconds: connectTimeoutSeconds)
        options = ConnectionOptions(
            address, schema: schema, durability: durability, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
            answerTimeoutSeconds: answerTimeoutSeconds)
        writer = Writer(options)
        readers = Pool(membersMax: connectionsMax - 1, whenClosed: options.notOpen) { reader in
            reader.state.load(ordering: .relaxed) != .lost
        }
    }

    /// Durable, shared between processes and machines, and readable during a write. Backups are made with the server's
    /// tools.
    package var features: StorageFeatures {
        [.durable, .sharedBetweenProcesses, .sharedBetweenMachines, .readsDuringWrite]
    }

    /// Connects, and creates or migrates the tables if the access allows it. Retries an unreachable or busy server
    /// until the busy timeout, but not a host name or a socket that does not exist: only after the first connection is
    /// that a server that restarts.
    @discardableResult
    package func open(_ opening: StorageOpening) async throws -> Schema {
        let waiting = showWait(opening.progress)
        defer { waiting.cancel() }
        let store = try await patiently { () async throws in
            do {
                return try await writer.open(opening)
            } catch let error as ServerError where error.isAboutAddress {
                throw options.noServer(error)
            }
        }
        opened.withLock { $0 = store }
        readers.open { [options] in Reader(options, store.schema.collections) }
        return store.schema
    }

    /// Reports that the server is awaited, once it takes longer than usual.
    private func showWait(_ progress: @escaping WorkProgress.Handler) -> Task<Void, Never> {
        let seconds = max(1, options.busyTimeoutMilliseconds / 1_000)
        return Task {
            let start = ContinuousClock.now
            // Cancelled when the storage is open.
            while (try? await Task.sleep(for: .milliseconds(400))) != nil {
                progress(
                    WorkProgress(
                        "waiting for the PostgreSQL server",
                        done: Int((ContinuousClock.now - start).components.seconds), of: seconds))
            }
        }
    }

    /// Runs `body` on one of the reading connections, after waiting in turn for a free one. After a lost connection it
    /// may be run again from its start.
    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await withReader { try $0.read(body) }
    }

    /// Runs `body` as the only writer on all machines. After a connection lost during the commit, checks whether the
    /// server committed, and runs `body` again only if not.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try checkIsThere()
        var patience = Patience(milliseconds: options.busyTimeoutMilliseconds)
        while true {
            switch try await writer.quickly({ try $0.write(body) }) {
            case .done(let result): return result
            case .again(let error, let wasConnected):
                if wasConnected, error.endsConnection { patience.begin() }
                if error.isAboutConnections { _ = readers.removeIdle() }
                try await patience.wait(after: error)
            case .unknown(let result, let token, let error):
                if try await isCommitted(token) { return result }
                try await patience.wait(after: error)
            }
        }
    }

    /// - Throws: `notFound` when the storage was removed or replaced; reads and writes throw the same error afterwards.
    package func revision() async throws -> UInt64 {
        let store = try openStore()
        let row = try await run { connection in try StoreRow(connection) }
        if row.identity != store.identity { goneMark.store(true, ordering: .relaxed) }
        try checkIsThere()
        return UInt64(bitPattern: row.revision)
    }

    /// Describes the server, its relevant settings, the size of each table, and conditions that endanger the rows.
    package func describe() async throws -> StorageDescription {
        let store = try openStore()
        return try await run { connection in try Description(connection: connection, store: store).make() }
    }

    /// Checks that the tables, columns and indexes of the server are those of the schema.
    package func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        let store = try openStore()
        return try await run { connection in
            try TableCheck(connection: connection, schema: store.schema).faults()
        }
    }

    /// Vacuums and analyzes the tables one after another. Reads and writes continue meanwhile.
    ///
    /// - Throws: `permissionDenied` when the user does not own the tables; the server would only warn and skip them.
    package func compact(progress: WorkProgress.Handler) async throws {
        let store = try openStore()
        try await writer.checkMayWrite()
        for collection in store.schema.collections {
            progress(WorkProgress("vacuuming \(collection.name)", done: 0))
            let name = options.qualified(collection.name)
            try await run { connection in
                try connection.checkMayVacuum(name)
                try connection.takingLong { _ = try connection.query("VACUUM (ANALYZE) \(name)") }
            }
        }
    }

    /// Drops the tables of the storage, and the schema if it contains nothing else. The storage must not be open.
    package func erase() async throws { try await patiently { try await writer.erase() } }

    /// Waits for reads and writes in progress and closes all connections. The storage can be opened again.
    package func close() async throws {
        await readers.close()
        opened.withLock { $0 = nil }
        goneMark.store(false, ordering: .relaxed)
        await writer.close()
    }

    // MARK: Helpers

    private func checkIsThere() throws {
        if goneMark.load(ordering: .relaxed) { throw StoragePlace.removed(options.place) }
    }

    /// - Throws: `unsupported` while the storage is closed.
    private func openStore() throws -> OpenedStore {
        guard let store = opened.withLock({ $0 }) else { throw options.notOpen }
        return store
    }

    private func withReader<Result: Sendable>(
        _ body: @Sendable (isolated Reader) throws -> Result
    ) async throws -> Result {
        try await patiently {
            while true {
                try checkIsThere()
                let reader = try await readers.take(patience: options.turn)
                defer { readers.release(reader) }
                let wasConnected = reader.state.load(ordering: .relaxed) == .connected
                do {
                    return try await reader.quickly(body)
                } catch let error as ServerError where wasConnected && error.remedy == .reconnect {
                    // The server may have closed an idle connection; a new one needs no wait.
                } catch let error as ServerError where error.isAboutConnections {
                    await writer.disconnect()
                    throw error
                }
            }
        }
    }

    private func run<Result: Sendable>(
        _ question: @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withReader { try $0.run(question) }
    }

    /// Retries an operation that failed before it had any effect.
    private func patiently<Result>(_ attempt: () async throws -> Result) async throws -> Result {
        var patience = Patience(milliseconds: options.busyTimeoutMilliseconds)
        while true {
            do {
                return try await attempt()
            } catch let error as ServerError {
                guard error.remedy != .none else { throw error.patchbayError }
                if error.remedy == .unprepared { options.stopPreparing() }
                try await patience.wait(after: error)
            }
        }
    }

    /// Determines whether a commit took effect. Retries for at least a minute, because an unknown outcome is worse
    /// than a wait.
    private func isCommitted(_ token: UInt128) async throws -> Bool {
        var patience = Patience(milliseconds: max(60_000, options.busyTimeoutMilliseconds))
        while true {
            do {
                return try await writer.settle(token)
            } catch let error as ServerError {
                do {
                    try await patience.wait(after: error)
                } catch {
                    throw PatchbayError(
                        .busy,
                        "the connection was lost during COMMIT, and the server does not answer, so it is not known "
                            + "whether the rows were stored; look for them before writing again",
                        [.server(options.place)], cause: error)
                }
            }
        }
    }
}

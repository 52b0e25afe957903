public import PatchbayCore
import Synchronization

/// Keeps collections in a schema of a PostgreSQL database: a table each, with real columns, so that every SQL tool
/// reads it and any number of machines share it.
///
/// Each read runs in a transaction and on a connection of its own; writes of all machines run one after another. A
/// write whose connection is lost runs again, or is found to have been committed: never twice, never half.
///
///     let storage = PostgreSQLStorage(url: "postgresql://patchbay@db.example.org/rows")
///     let store = try await Store(storage, schema: schema)
///
/// Needs libpq 14 or newer on the machine (Debian's package libpq5), which is loaded when the storage is opened, and a
/// server of PostgreSQL 13 or newer.
public final class PostgreSQLStorage: Storage {
    private let options: ConnectionOptions
    private let writer: Writer
    private let readers: ReaderPool
    private let opened = Mutex<OpenedStore?>(nil)
    /// Set once another storage, or none, was found in the place of the one that was opened.
    private let goneMark = Atomic(false)

    /// Connects to nothing yet; `open(_:)` does.
    ///
    /// - Parameters:
    ///   - url: a URI or `key = value` pairs as libpq takes them, without a password. What is missing comes from
    ///     libpq's variables (`PGHOST`, `PGSERVICE` and so on), `~/.pg_service.conf`, `~/.pgpass` and defaults.
    ///   - password: nil takes that of `~/.pgpass`, when there is one.
    ///   - schema: where the tables are; made when it is not there.
    ///   - durability: what a committed write survives; weaker than `Durability.full` means
    ///     `synchronous_commit = off`.
    ///   - connectionsMax: the connections of this storage, one of which writes; a further read waits its turn.
    ///   - busyTimeoutMilliseconds: how long to wait for other writers, and for a server that cannot be reached.
    ///   - connectTimeoutSeconds: how long one try to connect to one server may take.
    public init(
        url: String = "", password: String? = nil, schema: String = "patchbay",
        durability: Durability = .full,
        connectionsMax: Int = 8, busyTimeoutMilliseconds: Int = 30_000, connectTimeoutSeconds: Int = 10
    ) {
        precondition(connectionsMax > 1, "a storage needs a connection that reads and one that writes")
        let address = ServerAddress(
            url: url, password: password, connectTimeoutSeconds: connectTimeoutSeconds)
        options = ConnectionOptions(
            address, schema: schema, durability: durability, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        writer = Writer(options)
        readers = ReaderPool(readersMax: connectionsMax - 1)
    }

    public var features: StorageFeatures {
        [.durable, .sharedBetweenProcesses, .sharedBetweenMachines, .readsDuringWrite]
    }

    @discardableResult
    public func open(_ opening: StorageOpening) async throws -> Schema {
        let store = try await patiently { try await writer.open(opening) }
        opened.withLock { $0 = store }
        readers.open { [options] in Reader(options, store.schema.collections) }
        return store.schema
    }

    public func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await patiently { try await withReader { try await $0.read(body) } }
    }

    public func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try checkIsThere()
        var patience = Patience(milliseconds: options.busyTimeoutMilliseconds)
        while true {
            switch try await writer.write(body) {
            case .done(let result): return result
            case .again(let error): try await patience.wait(after: error)
            case .unknown(let result, let token, let error):
                if try await isCommitted(token) { return result }
                try await patience.wait(after: error)
            }
        }
    }

    /// - Throws: `notFound` when the storage was removed or replaced; reads and writes throw it from then on.
    public func revision() async throws -> UInt64 {
        let store = try openStore()
        let row = try await ask { connection in try StoreRow(connection) }
        if row.identity != store.identity { goneMark.store(true, ordering: .relaxed) }
        try checkIsThere()
        return UInt64(bitPattern: row.revision)
    }

    public func describe() async throws -> StorageDescription {
        let store = try openStore()
        return try await ask { connection in try Description(connection, store).make() }
    }

    public func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        let store = try openStore()
        return try await ask { connection in try TableCheck(connection, store.schema).faults() }
    }

    public func compact(progress: WorkProgress.Handler) async throws {
        let store = try openStore()
        try await writer.checkMayWrite()
        for collection in store.schema.collections {
            progress(WorkProgress("vacuuming \(collection.name)", done: 0))
            let sql = "VACUUM (ANALYZE) \(options.qualified(collection.name))"
            _ = try await ask { connection in try connection.query(sql).changedRows }
        }
    }

    public func erase() async throws { try await patiently { try await writer.erase() } }

    public func close() async throws {
        await readers.close()
        opened.withLock { $0 = nil }
        goneMark.store(false, ordering: .relaxed)
        await writer.close()
    }

    // MARK: Helpers

    private func checkIsThere() throws {
        if goneMark.load(ordering: .relaxed) { throw StoragePlace.hasGone(options.place) }
    }

    /// - Throws: `unsupported` while the storage is closed.
    private func openStore() throws -> OpenedStore {
        guard let store = opened.withLock({ $0 }) else { throw PatchbayError.storageNotOpen(options.place) }
        return store
    }

    private func withReader<Result>(_ body: (Reader) async throws -> Result) async throws -> Result {
        try checkIsThere()
        guard let reader = try await readers.take() else { throw PatchbayError.storageNotOpen(options.place) }
        defer { readers.giveBack(reader) }
        return try await body(reader)
    }

    private func ask<Result: Sendable>(
        _ question: @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await patiently { try await withReader { try await $0.ask(question) } }
    }

    /// Tries again what failed before it had any effect.
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

    /// Finds out what has become of a commit. Not knowing is worse than waiting, so it takes a minute at least.
    private func isCommitted(_ token: [UInt8]) async throws -> Bool {
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
                        "the connection was lost while the server committed, and it cannot be asked what has become "
                            + "of that; look whether the rows are there before writing again",
                        ["server": options.place], cause: error)
                }
            }
        }
    }
}

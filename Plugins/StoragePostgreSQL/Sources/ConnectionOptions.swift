import PatchbayCore
import Synchronization

/// The settings with which connections to one storage are opened, and facts that they have found out about the server.
final class ConnectionOptions: Sendable {
    let address: ServerAddress
    /// The configured name of the schema that contains the tables.
    let schema: String
    let durability: Durability
    let busyTimeoutMilliseconds: Int
    /// The longest wait for the server's answer to a statement.
    private let answerTimeoutMilliseconds: Int
    /// The longest wait for a statement that reads or writes whole tables.
    private static let longAnswerMilliseconds = 3_600_000
    private let preparing = Atomic(true)
    private let timelines = Atomic(true)

    init(
        _ address: ServerAddress, schema: String, durability: Durability, busyTimeoutMilliseconds: Int,
        answerTimeoutSeconds: Int
    ) {
        answerTimeoutMilliseconds = answerTimeoutSeconds * 1_000
        self.address = address
        self.schema = schema
        self.durability = durability
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
    }

    /// The storage's name in messages.
    var place: String { "postgres, schema \(schema)" }

    /// The error for a storage that is not open.
    var notOpen: PatchbayError { .storageNotOpen().adding([.server(place)]) }

    /// The error for a storage that does not exist and must not be created.
    var nothingStored: PatchbayError {
        PatchbayError(
            .notFound,
            "nothing is stored in the schema \"\(schema)\" yet; store something, or set another storage.schema",
            [.server(place)])
    }

    /// How long a read waits for a connection that other reads use.
    var turn: (limit: Duration, error: PatchbayError) {
        let milliseconds = max(busyTimeoutMilliseconds, answerTimeoutMilliseconds)
        let error = PatchbayError(
            .busy,
            "other reads have used all connections for \(milliseconds / 1_000) s; try again, or set a larger "
                + "storage.connections-max", [.server(place)])
        return (.milliseconds(milliseconds), error)
    }

    /// The error for an address without a server.
    func noServer(_ error: ServerError) -> PatchbayError {
        let advice =
            address.url.isEmpty
            ? "set storage.url to the address of one, such as postgresql://user@host/database"
            : "correct storage.url, or start the server"
        return PatchbayError(
            .invalidConfiguration, "there is no PostgreSQL server: \(error.message); \(advice)",
            [.server(error.server)])
    }

    /// Whether connections may prepare statements. It becomes false once a pooler has lost a prepared statement.
    var preparesStatements: Bool { preparing.load(ordering: .relaxed) }

    /// Whether the server states its timeline, as PostgreSQL does, but not every server that speaks its protocol.
    var knowsTimeline: Bool { timelines.load(ordering: .relaxed) }

    func forgetTimelines() { timelines.store(false, ordering: .relaxed) }

    func stopPreparing() { preparing.store(false, ordering: .relaxed) }

    func answerTimeoutMilliseconds(isLong: Bool) -> Int {
        isLong ? max(Self.longAnswerMilliseconds, answerTimeoutMilliseconds) : answerTimeoutMilliseconds
    }

    /// The time after which the server itself ends a statement: shortly before its answer is no longer awaited.
    func statementTimeoutMilliseconds(isLong: Bool) -> Int {
        answerTimeoutMilliseconds(isLong: isLong) / 10 * 9
    }

    /// The time that one statement waits for other writers; ``Patience`` repeats it.
    ///
    /// At least 100 ms, because the server takes short locks of its own, such as that on the end of a table.
    private var lockTimeoutMilliseconds: Int {
        max(Self.lockTimeoutMillisecondsMin, min(busyTimeoutMilliseconds, answerTimeoutMilliseconds / 2))
    }
    private static let lockTimeoutMillisecondsMin = 100

    /// How a statement locks the row of `patchbay_store`. A writer that may not wait for others does not even begin to.
    var locking: String { busyTimeoutMilliseconds == 0 ? "FOR UPDATE NOWAIT" : "FOR UPDATE" }

    /// Returns a name qualified with the storage's schema, quoted.
    func qualified(_ name: String) -> String { "\(schema.quotedForSQL).\(name.quotedForSQL)" }

    /// The statement that applies a session's settings; its parameter is whether they end with the current transaction.
    ///
    /// With sorts and sequential scans disabled, the planner uses the index whatever it knew about the rows when the
    /// statement was prepared. A plan made while the table was empty would otherwise scan the table from its first
    /// row, or sort all of it for one page.
    func settings(_ use: Connection.Use) -> String {
        var settings = [
            ("enable_sort", "'off'"), ("enable_seqscan", "'off'"), ("jit", "'off'"),
            ("plan_cache_mode", "'force_generic_plan'"),
            ("statement_timeout", "'\(statementTimeoutMilliseconds(isLong: false))'"),
            ("lock_timeout", "'\(lockTimeoutMilliseconds)'"),
        ]
        if use == .writing {
            // A writer that hangs in a transaction blocks all others for at most this time.
            settings.append(("idle_in_transaction_session_timeout", "'30s'"))
            let now = "current_setting('synchronous_commit')"
            settings.append(
                ("synchronous_commit", durability == .full ? "replace(\(now), 'off', 'on')" : "'off'"))
        }
        let calls = settings.map { "set_config('\($0)', \($1), $1)" }
        return "SELECT " + calls.joined(separator: ", ")
    }
}

extension String {
    /// The text as an SQL identifier: in double quotes, with quotes inside doubled.
    var quotedForSQL: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

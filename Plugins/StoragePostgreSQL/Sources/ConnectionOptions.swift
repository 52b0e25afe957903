import PatchbayCore
import Synchronization

/// The settings with which connections to one storage are opened, and facts that they have found out about the server.
final class ConnectionOptions: Sendable {
    let address: ServerAddress
    /// The configured name of the schema that contains the tables.
    let schema: String
    let durability: Durability
    let busyTimeoutMilliseconds: Int
    private let preparing = Atomic(true)

    init(_ address: ServerAddress, schema: String, durability: Durability, busyTimeoutMilliseconds: Int) {
        self.address = address
        self.schema = schema
        self.durability = durability
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
    }

    /// The storage's name in messages.
    var place: String { "postgres, schema \(schema)" }

    /// The error for a storage that is not open.
    var notOpen: PatchbayError { .storageNotOpen().adding([.server(place)]) }

    /// Whether connections may prepare statements. It becomes false once a pooler has lost a prepared statement.
    var preparesStatements: Bool { preparing.load(ordering: .relaxed) }

    func stopPreparing() { preparing.store(false, ordering: .relaxed) }

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
            ("statement_timeout", "'0'"), ("lock_timeout", "'\(busyTimeoutMilliseconds)'"),
        ]
        if use == .writing {
            // A writer that hangs in a transaction blocks all others for at most this time.
            settings.append(("idle_in_transaction_session_timeout", "'60s'"))
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

import PatchbayCore
import Synchronization

/// How connections to one storage are opened, and what they have found out.
final class ConnectionOptions: Sendable {
    let address: ServerAddress
    /// The schema that holds the tables, as it was set.
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

    /// What the storage is called in messages.
    var place: String { "postgres, schema \(schema)" }

    /// Whether connections may prepare statements; once one of them was lost on the way, none does.
    var preparesStatements: Bool { preparing.load(ordering: .relaxed) }

    func stopPreparing() { preparing.store(false, ordering: .relaxed) }

    /// A name in the storage's schema, quoted.
    func qualified(_ name: String) -> String { "\(schema.quotedForSQL).\(name.quotedForSQL)" }

    /// What sets a session as we need it; the parameter says whether for the transaction under way alone.
    ///
    /// Without sorting and sequential scans, a row is found by its index whatever the planner knew about the rows when
    /// the statement was prepared: in a table that was empty then, it would be looked for from the first row on, and a
    /// page found by sorting the whole.
    func settings(_ use: Connection.Use) -> String {
        var settings = [
            ("enable_sort", "'off'"), ("enable_seqscan", "'off'"), ("jit", "'off'"),
            ("plan_cache_mode", "'force_generic_plan'"),
            ("statement_timeout", "'0'"),
        ]
        if use == .writing {
            settings.append(("lock_timeout", "'\(busyTimeoutMilliseconds)'"))
            // A writer that was stopped in the middle holds up all others no longer than this.
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
    /// As a name in SQL: in quotes, those inside doubled.
    var quotedForSQL: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

import CPostgreSQL
import PatchbayCore

/// Describes a storage: its tables, the server's relevant settings, and conditions that endanger the rows.
struct Description {
    let connection: Connection
    let store: OpenedStore

    /// The settings that are shown.
    private static let names = [
        "synchronous_commit", "synchronous_standby_names", "fsync", "full_page_writes", "data_checksums",
        "max_connections", "server_encoding",
    ]

    func make() throws -> StorageDescription {
        let settings = try settings()
        let library = LibPQ.text(ofVersion: pq_libraryVersion())
        let server = LibPQ.text(ofVersion: Int32(connection.serverVersion))
        var described = StorageDescription(
            engine: "PostgreSQL \(server)",
            path: "schema \(connection.options.schema) of \(connection.server)",
            files: try tables(),
            settings: [
                .init("server", connection.server), .init("schema", connection.options.schema),
                .init("connection", connection.isDirect ? "direct" : "through a pooler"),
                .init("libpq", library),
            ] + settings)
        described.concerns = try concerns(settings)
        return described
    }

    /// Returns the size of each table including its indexes.
    private func tables() throws -> [StorageDescription.File] {
        let answer = try connection.query(
            """
            SELECT relname::text, pg_total_relation_size(pg_class.oid) FROM pg_catalog.pg_class
            JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = $1 AND relkind IN ('r', 'p') ORDER BY relname
            """, with: connection.options.schema)
        let known = Set(store.schema.collections.map(\.name)).union(StoreTables.names)
        return (0..<answer.rowCount).filter { known.contains(answer.text($0, 0)) }.map {
            .init(
                path: "\(connection.options.schema).\(answer.text($0, 0))", bytes: Int(answer.integer($0, 1)))
        }
    }

    private func settings() throws -> [StorageDescription.Setting] {
        let columns = Self.names.map { "coalesce(current_setting('\($0)', true), '')" }
        let answer = try connection.query("SELECT " + columns.joined(separator: ", "))
        return Self.names.enumerated().map { place, name in .init(name, answer.text(0, place)) }
    }

    private func concerns(
        _ settings: [StorageDescription.Setting]
    ) throws -> [StorageDescription.Concern] {
        func isSet(_ name: String, _ value: String) -> Bool {
            settings.contains { $0.name == name && $0.value == value }
        }
        let concerns: [(isFound: Bool, finding: String, advice: String)] = try [
            (
                isSet("fsync", "off"),
                "the server runs with fsync = off; a power cut may damage the whole database",
                "set fsync = on"
            ),
            (
                isSet("full_page_writes", "off"),
                "the server runs with full_page_writes = off; a power cut may leave torn pages",
                "set full_page_writes = on"
            ),
            (
                connection.query("SELECT pg_is_in_recovery()").boolean(0, 0),
                "the server is a standby; it does not accept writes, and its rows may be out of date",
                "name every server in storage.url and add target_session_attrs=read-write"
            ),
            (
                isSet("synchronous_standby_names", "") && hasStandbys(),
                "the server has standbys and does not wait for them; a failover may lose the newest commits",
                "set synchronous_standby_names (with Patroni: synchronous_mode)"
            ),
            (
                !connection.isDirect,
                "Patchbay is connected through a pooler; each statement is planned again, which takes "
                    + "two to three times as long",
                "connect directly if that matters"
            ),
        ]
        return concerns.filter(\.isFound).map { .init($0.finding, $0.advice) }
    }

    private func hasStandbys() throws -> Bool {
        // A standby's state is null for users who may not see it.
        try connection.query(
            "SELECT count(*) > 0 FROM pg_catalog.pg_stat_replication WHERE state IS DISTINCT FROM 'backup'"
        ).boolean(0, 0)
    }
}

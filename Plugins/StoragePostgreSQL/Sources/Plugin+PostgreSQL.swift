public import PatchbayCore

extension Plugin where Product == any Storage {
    /// `storage = postgres`: a schema of a PostgreSQL database.
    ///
    /// Opening the plugin reads only the settings; the storage loads libpq and connects when it opens its schema.
    public static var postgres: Plugin<any Storage> {
        Plugin(
            "postgres",
            "tables in a PostgreSQL database, shared by any number of machines; any SQL tool reads them",
            options: options
        ) { settings in
            PostgreSQLStorage(
                url: settings.text("url") ?? "", password: settings.text("password"),
                schema: try settings.postgresSchema(), durability: try settings.durability(),
                connectionsMax: try settings.integer("connections-max") ?? 8,
                busyTimeoutMilliseconds: try settings.integer("busy-timeout-ms") ?? 60_000,
                connectTimeoutSeconds: try settings.integer("connect-timeout-seconds") ?? 5,
                answerTimeoutSeconds: try settings.integer("answer-timeout-seconds") ?? 15)
        }
    }

    private static var options: [PluginOption] {
        [
            PluginOption(
                "url", .text,
                "the server and database, as a URI (postgresql://user@host/database) or as libpq's key = value pairs, "
                    + "without a password; libpq takes missing parts from PGHOST, PGSERVICE, ~/.pgpass and so on"
            ),
            PluginOption("password", .secret, "the user's password, when ~/.pgpass does not have it"),
            PluginOption(
                "schema", .space, default: "patchbay",
                "the schema that contains the tables; created when missing"),
            .durability,
            PluginOption(
                "busy-timeout-ms", .integer(0...600_000), default: "60000",
                "milliseconds to wait for other writers, or for a server that cannot be reached"),
            PluginOption(
                "connections-max", .integer(2...64), default: "8",
                "the maximum number of connections, one of which writes"),
            PluginOption(
                "connect-timeout-seconds", .integer(2...600), default: "5",
                "seconds that one attempt to connect to one server may take"),
            PluginOption(
                "answer-timeout-seconds", .integer(1...3_600), default: "15",
                "seconds to wait for the server's answer to a statement, after which the connection is closed and "
                    + "the next server of the address is used"),
        ]
    }
}

extension Settings {
    fileprivate func postgresSchema() throws -> String {
        let name = text("schema") ?? "patchbay"
        guard (1...63).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw error("schema", "must have 1 to 63 bytes")
        }
        guard !name.hasPrefix("pg_"), name != "information_schema" else {
            throw error("schema", "is reserved by PostgreSQL; set another")
        }
        return name
    }
}

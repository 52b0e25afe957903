import Foundation
public import Testing

/// The PostgreSQL server that tests may use, as `Scripts/postgres.sh start` makes one and prints its address.
public enum PostgreSQLServer {
    /// libpq's words for the server; nil when there is none to test with.
    public static let url = ProcessInfo.processInfo.environment["PATCHBAY_POSTGRES"].flatMap {
        $0.isEmpty ? nil : $0
    }

    /// What `psql` prints for some SQL: values alone, with `|` between them.
    ///
    @discardableResult
    public static func psql(_ sql: String) throws -> String {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--command", sql,
            url ?? "",
        ]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Schemas of the server for one test, named after folders; dropped when the last reference goes away.
public final class PostgreSQLSchemas: Sendable {
    private static let process = ProcessInfo.processInfo.processIdentifier
    private let prefix: String

    public init() { prefix = "test_\(Self.process)_\(UInt32.random(in: 0 ... .max))" }

    deinit {
        // What stays behind is in a server that is thrown away.
        let drop = "DO $$ DECLARE name text; BEGIN FOR name IN SELECT nspname FROM pg_namespace "
            + "WHERE starts_with(nspname, '\(prefix)') LOOP "
            + "EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP; END $$"
        _ = try? PostgreSQLServer.psql("SET client_min_messages = warning; \(drop)")
    }

    /// The schema that stands for a folder or a name; the same each time.
    public func name(for folder: String) -> String {
        let hash = folder.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(prefix)_\(String(hash, radix: 16))"
    }
}

extension Trait where Self == ConditionTrait {
    /// Reports the test as skipped when there is no server to test with.
    public static var needsPostgreSQL: Self {
        .enabled(
            if: PostgreSQLServer.url != nil,
            "needs a server: Scripts/postgres.sh start, and PATCHBAY_POSTGRES as it prints")
    }
}

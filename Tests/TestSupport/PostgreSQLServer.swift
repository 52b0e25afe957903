import Foundation
import Synchronization
public import Testing

/// The PostgreSQL server for tests; `Scripts/postgres.sh start` starts one and prints its address.
public enum PostgreSQLServer {
    /// The libpq connection string of the server; nil when there is none to test with.
    public static let url = variable("PATCHBAY_POSTGRES")
    /// The connection string of a pooler in front of it, in transaction mode.
    public static let poolerURL = variable("PATCHBAY_PGBOUNCER")

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The newest `psql` itself. The one in Debian's PATH is a script that searches for it, which takes longer than
    /// `psql`.
    private static let program: String = {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let newest = versions.compactMap(Int.init).max().map { "\(folder)/\($0)/bin/psql" }
        return newest ?? "/usr/bin/psql"
    }()

    /// The output of `psql` for a SQL text: only values, separated by `|`.
    @discardableResult
    public static func psql(_ sql: String) throws -> String {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--command",
            sql,
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

/// Schemas of the server for one test, named after folders; dropped when the last reference is released.
public final class PostgreSQLSchemas: Sendable {
    private static let process = ProcessInfo.processInfo.processIdentifier
    private let prefix: String
    private let isUsed = Mutex(false)

    /// Creates a prefix of its own.
    public init() { prefix = "test_\(Self.process)_\(UInt32.random(in: 0 ... .max))" }

    deinit {
        guard isUsed.withLock({ $0 }) else { return }
        // Schemas that cannot be dropped are in a server that is discarded.
        let drop =
            "DO $$ DECLARE name text; BEGIN FOR name IN SELECT nspname FROM pg_namespace "
            + "WHERE starts_with(nspname, '\(prefix)') LOOP "
            + "EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP; END $$"
        _ = try? PostgreSQLServer.psql("SET client_min_messages = warning; \(drop)")
    }

    /// The schema for a folder or a name; the same each time.
    public func name(for folder: String) -> String {
        isUsed.withLock { $0 = true }
        let hash = folder.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        let word = folder.split(separator: "/").last?.filter { $0.isASCII && $0.isLetter }.prefix(20) ?? ""
        return "\(prefix)_\(String(hash, radix: 16))_\(word)"
    }
}

extension Trait where Self == ConditionTrait {
    /// Reports the test as skipped when there is no server to test with.
    public static var needsPostgreSQL: Self {
        .enabled(
            if: PostgreSQLServer.url != nil,
            "needs a server: eval \"$(Scripts/postgres.sh start)\"")
    }

    /// Reports the test as skipped when there is no pooler in front of the server.
    public static var needsPgBouncer: Self {
        .enabled(
            if: PostgreSQLServer.url != nil && PostgreSQLServer.poolerURL != nil,
            "needs pgbouncer and a server: eval \"$(Scripts/postgres.sh start)\"")
    }
}

import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// The command over a PostgreSQL server that a configuration file names.
@Suite("The command over PostgreSQL", .mayBlock, .needsPostgreSQL, .timeLimit(.minutes(3)))
struct PostgreSQLCommandTests {
    private let command: Command
    private let schemas = PostgreSQLSchemas()
    private var schema: String { schemas.name(for: "main") }

    init() throws { command = try Command() }

    /// Writes a configuration file for a schema of the server.
    private func configuration(_ name: String, url: String? = PostgreSQLServer.url) throws -> String {
        let path = "\(command.directory)/\(name).conf"
        let text = """
            storage = postgres
            storage.url = "\(url ?? "")"
            storage.schema = \(schemas.name(for: name))
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func run(_ arguments: String..., status: Int32 = 0) throws -> Command.Outcome {
        let outcome = try command.run(arguments)
        #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
        return outcome
    }

    @Test("rows are listed, stored, shown, checked, exported, imported and copied as over every storage")
    func rows() throws {
        let main = try configuration("main")
        let listed = try run("list", "users", "--config", main, "--format", "csv").output
        #expect(listed.split(separator: "\n").count == 21)
        #expect(try run("list", "users", "--config", main, "--offline", "--format", "csv").output == listed)
        let info = try run("storage", "info", "--config", main, "--format", "csv").output
        #expect(info.contains("storage,engine,PostgreSQL "))
        #expect(info.contains("shared between machines"))
        #expect(info.contains("bytes,\(schema).github_users,"))
        #expect(try run("storage", "verify", "--config", main).errors.hasPrefix("no faults in "))
        #expect(try run("doctor", "--offline", "--config", main).output.contains("opens, no faults in"))
        let exported = try run("storage", "export", "--config", main).output
        let other = try configuration("other")
        _ = try run("storage", "copy", "--from", main, "--to", "flatfile:copy", "--verify")
        _ = try run("storage", "copy", "--from", "flatfile:copy", "--to", other, "--verify")
        #expect(try run("storage", "export", "--config", other).output == exported)
        _ = try run("storage", "compact", "--config", other)
        _ = try run("storage", "copy", "--from", main, "--to", main, status: 9)
        let backup = try run("storage", "backup", "\(command.directory)/backup", "--config", main, status: 15)
        #expect(backup.errors.contains("export or copy it"))
    }

    @Test("a server that accepts no writes is named as the reason, once and with what to do")
    func readOnly() throws {
        let main = try configuration("main")
        _ = try run("list", "users", "--config", main)
        let url = "storage.url=\(PostgreSQLServer.url ?? "") options='-c default_transaction_read_only=on'"
        let reason = "the server accepts no writes; turn off default_transaction_read_only"
        let listed = try run("list", "users", "--refresh", "--config", main, "--set", url)
        #expect(listed.errors.contains("; could not write the storage: \(reason)"), "\(listed.errors)")
        for words in [["sync"], ["edit", "users", "Marlow-Quern", "name=x"], ["clear", "users", "--yes"]] {
            let refused = try command.run(words + ["--config", main, "--set", url])
            #expect(refused.status == 7 && refused.errors.split(separator: reason).count == 2, "\(refused)")
        }
        let doctor = try command.run(["doctor", "--offline", "--config", main, "--set", url])
        #expect(doctor.status == 7 && doctor.output.contains(reason), "\(doctor)")
        #expect(
            try run("show", "users", "Marlow-Quern", "--offline", "--config", main).errors.contains("stored"))
    }

    @Test("an empty storage is reported, and reading creates nothing")
    func nothing() throws {
        let main = try configuration("main")
        let outcome = try run("storage", "info", "--config", main, status: 4)
        #expect(outcome.errors.contains(schema))
        #expect(try PostgreSQLServer.psql("SELECT 1 FROM pg_namespace WHERE nspname = '\(schema)'").isEmpty)
    }

    @Test("a comparison uses its own schema and leaves nothing behind")
    func compare() throws {
        let main = try configuration("main")
        _ = try run("list", "users", "--config", main)
        let before = try run("storage", "export", "--config", main).output
        _ = try run(
            "compare", main, "--storage", "sqlite", "--rows", "100", "--seconds", "0.01", "--rounds", "1",
            "--workloads", "load,get-key,first-page,refresh-page", "--data", command.directory)
        #expect(try run("storage", "export", "--config", main).output == before)
        let rest = "SELECT count(*) FROM pg_namespace WHERE starts_with(nspname, 'patchbay_compare_')"
        #expect(try PostgreSQLServer.psql(rest) == "0")
    }

    @Test("doctor warns about a connection pooler", .needsPgBouncer)
    func doctor() throws {
        let main = try configuration("main", url: PostgreSQLServer.poolerURL)
        _ = try run("list", "users", "--config", main)
        let outcome = try run("doctor", "--offline", "--config", main)
        #expect(outcome.output.contains("warn"))
        #expect(outcome.output.contains("pooler"))
    }

    @Test("a password in the address is refused and never shown")
    func password() throws {
        for url in ["postgresql://me:hunter2@localhost/db", "host=localhost password=hunter2"] {
            let main = try configuration("main", url: url)
            let info = try run("storage", "info", "--config", main, status: 3)
            #expect(info.errors.contains("storage.password"))
            let shown = try run("config", "show", "--config", main)
            for text in [info.errors, info.output, shown.output, shown.errors] {
                #expect(!text.contains("hunter2"))
            }
        }
    }
}

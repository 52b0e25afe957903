import PatchbayCore
@testable import PatchbayTestKit
@testable import StoragePostgreSQL
import Testing
import TestSupport

/// Storages on the tests' server, in schemas that are removed afterwards.
final class TestServer: Sendable {
    private let schemas = PostgreSQLSchemas()
    /// The application name of this test's connections, which distinguishes them from other tests' connections.
    let application = "test\(UInt32.random(in: 0 ... .max))"

    /// The schema of the test.
    var schema: String { schemas.name(for: "main") }

    /// - Parameters:
    ///   - words: further libpq options, which override those of the server.
    ///   - folder: names another schema.
    func storage(
        _ words: String = "", in folder: String = "main", durability: Durability = .full,
        connectionsMax: Int = 4,
        busyTimeoutMilliseconds: Int = 30_000, answerTimeoutSeconds: Int = 15
    ) -> PostgreSQLStorage {
        PostgreSQLStorage(
            url: "\(PostgreSQLServer.url ?? "") application_name=\(application) \(words)",
            schema: schemas.name(for: folder), durability: durability, connectionsMax: connectionsMax,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds, answerTimeoutSeconds: answerTimeoutSeconds)
    }

    /// Returns an open storage with the collections of the conformance suite.
    func open(_ words: String = "", busyTimeoutMilliseconds: Int = 30_000) async throws -> PostgreSQLStorage {
        let storage = storage(words, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        try await storage.open(Sample.schema)
        return storage
    }

    @discardableResult
    func psql(_ sql: String) throws -> String {
        try PostgreSQLServer.psql("SET search_path = \"\(schema)\"; \(sql)")
    }

    /// Terminates every connection of this test, as an administrator may.
    func endConnections() throws {
        try psql(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity "
                + "WHERE application_name = '\(application)'")
    }
}

extension Trait where Self == ConditionTrait {
    /// Reports the test as skipped on a machine without PostgreSQL's client library.
    static var needsLibPQ: Self {
        .enabled("needs libpq5") { () async throws -> Bool in
            do { try LibPQ.load() } catch { return false }
            return true
        }
    }
}

import PatchbayCore
@testable import PatchbayTestKit
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// A server whose processes are stopped, as by a hypervisor: its connections stay open, and nothing answers.
@Suite("A frozen server", .mayBlock, .needsPostgreSQL, .timeLimit(.minutes(5)))
struct FrozenServerTests {
    private func storage(_ server: OwnServer, busy: Int = 500) -> PostgreSQLStorage {
        PostgreSQLStorage(
            url: server.url, busyTimeoutMilliseconds: busy, connectTimeoutSeconds: 2, answerTimeoutSeconds: 1)
    }

    /// Returns the error of `body` and the time until it was thrown.
    private func failure(
        _ body: () async throws -> Void
    ) async -> (error: PatchbayError?, time: Duration) {
        let start = ContinuousClock.now
        return (await fault(body), .now - start)
    }

    @Test("reads, writes and opening end within their limits, and the error names the limit")
    func limits() async throws {
        let server = try OwnServer(), storage = storage(server)
        try await storage.open(Sample.schema)
        try await storage.put([Sample.person(1)], in: Sample.people)
        _ = try await storage.rows(Query(Sample.people))
        try server.freeze()
        async let read = failure { _ = try await storage.rows(Query(Sample.people)) }
        async let write = failure { try await storage.put([Sample.person(2)], in: Sample.people) }
        async let opening = failure { try await self.storage(server).open(Sample.schema) }
        let failures = await [read, write, opening]
        try server.thaw()
        for (error, time) in failures {
            #expect(error?.code == .busy)
            #expect(error?.message.contains("timeout-seconds") == true)
            // One answer, one connection, and the pauses take 4 s, but other tests may keep the processors busy. If a
            // limit were ignored, it would be a minute.
            #expect(time < .seconds(60))
        }
        try await storage.put([Sample.person(2)], in: Sample.people)
        #expect(try await storage.rows(Query(Sample.people)).count == 2)
        try await storage.close()
    }

    @Test("a write that meets a frozen server takes effect once when the server continues")
    func thawed() async throws {
        let server = try OwnServer(), storage = storage(server, busy: 60_000)
        try await storage.open(Sample.schema)
        try await storage.put([Sample.person(1)], in: Sample.people)
        let before = try await storage.revision()
        try server.freeze()
        async let writing: Void = storage.put([Sample.person(2)], in: Sample.people)
        // Longer than the limit of an answer.
        try await Task.sleep(for: .milliseconds(1_200))
        try server.thaw()
        try await writing
        #expect(try await storage.revision() == before + 1)
        #expect(try await storage.rows(Query(Sample.people)).count == 2)
        try await storage.close()
    }

    @Test(
        "a writer that was suspended until the server ended its transaction writes again, with any busy timeout"
    )
    func suspendedWriter() async throws {
        let server = try OwnServer(), storage = storage(server, busy: 200)
        try await storage.open(Sample.schema)
        let runs = Mutex(0)
        try await storage.write { writer in
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            try writer.put(Sample.person(1), in: Sample.people)
            _ = try writer.count(Query(Sample.people))
            guard isFirst else { return }
            // Longer than the busy timeout, and until the server has ended the session.
            try server.psql(
                "SELECT pg_sleep(1); SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity "
                    + "WHERE state = 'idle in transaction'")
            _ = try writer.count(Query(Sample.people))
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(try await storage.rows(Query(Sample.people)).count == 1)
        try await storage.close()
    }
}

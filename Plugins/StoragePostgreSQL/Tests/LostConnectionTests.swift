import PatchbayCore
@testable import PatchbayTestKit
import StoragePostgreSQL
import Synchronization
import Testing
import TestSupport

@Suite("A lost connection", .mayBlock, .needsPostgreSQL)
struct LostConnectionTests {
    private let server = TestServer()

    @Test("idle connections that the server has closed are replaced without an error")
    func idle() async throws {
        let storage = try await server.open()
        for id in 1...3 as ClosedRange<Int64> {
            try await storage.put([Sample.person(id)], in: Sample.people)
            _ = try await storage.revision()
            try server.endConnections()
            #expect(try await storage.rows(Query(Sample.people)).count == Int(id))
            try server.endConnections()
        }
        try await storage.close()
    }

    @Test("a read replaces an idle connection that the server has closed, even if it may not wait")
    func idleWithoutWait() async throws {
        let storage = try await server.open(busyTimeoutMilliseconds: 0)
        try await storage.put([Sample.person(1)], in: Sample.people)
        let revision = try await storage.revision()
        for _ in 1...3 {
            #expect(try await storage.rows(Query(Sample.people)).count == 1)
            try server.endConnections()
            #expect(try await storage.revision() == revision)
            try server.endConnections()
        }
        try await storage.close()
    }

    @Test("a write runs again from its start, and takes effect once")
    func duringWrite() async throws {
        let storage = try await server.open()
        let runs = Mutex(0), server = server
        let seen = try await storage.write { writer in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            let before = try writer.count(Query(Sample.people))
            try writer.put(Sample.person(Int64(run)), in: Sample.people)
            if run == 1 { try server.endConnections() }
            _ = try writer.count(Query(Sample.people))
            return before
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(seen == 0)
        #expect(try await storage.rows(Query(Sample.people)) == [Sample.person(2)])
        try await storage.close()
    }

    @Test("a body that ignores the error runs again all the same")
    func swallowed() async throws {
        let storage = try await server.open()
        let runs = Mutex(0), server = server
        try await storage.write { writer in
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            try writer.put(Sample.person(1), in: Sample.people)
            if isFirst { try server.endConnections() }
            // Both may fail.
            _ = try? writer.count(Query(Sample.people))
            try? writer.put(Sample.person(2), in: Sample.people)
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(try await storage.rows(Query(Sample.people)).count == 2)
        try await storage.close()
    }

    @Test("a read that has seen no rows runs again; one that has seen some throws busy")
    func duringRead() async throws {
        let storage = try await server.open(), server = server
        try await storage.put((1...5).map { Sample.person($0) }, in: Sample.people)
        let runs = Mutex(0)
        let count = try await storage.read { reader in
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            if isFirst { try server.endConnections() }
            return try reader.count(Query(Sample.people))
        }
        #expect(count == 5)
        let error = await fault {
            try await storage.read { reader in
                _ = try reader.count(Query(Sample.people))
                try server.endConnections()
                _ = try reader.count(Query(Sample.people))
            }
        }
        #expect(error?.code == .busy)
        try await storage.close()
    }

    // MARK: In COMMIT

    @Test("a commit whose answer was lost is recognized and not repeated")
    func afterCommit() async throws { try await cut(.afterAnswer, expectedRuns: 1) }

    @Test("a commit that never arrived is repeated")
    func beforeCommit() async throws { try await cut(.beforeForwarding, expectedRuns: 2) }

    private func cut(_ cut: CuttingProxy.Cut, expectedRuns: Int) async throws {
        let proxy = try CuttingProxy()
        let storage = try await server.open("host=\(proxy.folder)")
        for round in 0..<5 as Range<Int64> {
            try await storage.put([Sample.page("before \(round)")], in: Sample.pages)
            let before = try await storage.revision(), runs = Mutex(0)
            proxy.cutNext(cut)
            try await storage.write { writer in
                runs.withLock { $0 += 1 }
                // The body reads nothing, so everything from BEGIN to COMMIT goes in one message.
                try writer.put(Sample.page("in it \(round)"), in: Sample.pages)
            }
            #expect(proxy.cutsLeft == 0)
            #expect(runs.withLock { $0 } == expectedRuns)
            #expect(try await storage.revision() == before + 1)
            #expect(try server.psql("SELECT count(*) FROM pages") == "\(2 * round + 2)")
        }
        try await storage.close()
    }

    @Test("a commit that arrives after it was given up is refused by the server")
    func lateCommit() async throws {
        let proxy = try CuttingProxy()
        let storage = try await server.open("host=\(proxy.folder)"), other = try await server.open()
        try await storage.put([Sample.page("x", visits: 1)], in: Sample.pages)
        proxy.cutNext(.holding)
        try await storage.put([Sample.page("x", visits: 2)], in: Sample.pages)
        try await other.put([Sample.page("x", visits: 3)], in: Sample.pages)
        let revision = try await other.revision()
        let answer = try proxy.releaseHeld()
        #expect(answer.contains("patchbay_commits_pkey"))
        #expect(try await other.rows(Query(Sample.pages)) == [Sample.page("x", visits: 3)])
        #expect(try await other.revision() == revision)
        try await storage.close()
        try await other.close()
    }

    // MARK: Other writers

    @Test("a writer that hangs blocks others only until their busy timeout")
    func frozenWriter() async throws {
        let frozen = try await server.open(), waiting = try await server.open(busyTimeoutMilliseconds: 200)
        let begun = Signal("a write holds the lock"), seen = Signal("another write was busy")
        async let writing: Void = WorkThread("test").run { _ in
            defer { begun.send() }
            try await frozen.write { writer in
                try writer.put(Sample.person(1), in: Sample.people)
                _ = try writer.count(Query(Sample.people))
                begun.send()
                try seen.wait { _ = try writer.count(Query(Sample.people)) }
            }
        }
        await begun.arrives()
        let error = await fault { try await waiting.put([Sample.person(2)], in: Sample.people) }
        #expect(error?.code == .busy)
        #expect(try await waiting.rows(Query(Sample.people)).isEmpty)
        seen.send()
        try await writing
        try await waiting.put([Sample.person(2)], in: Sample.people)
        #expect(try await waiting.rows(Query(Sample.people)).count == 2)
        try await frozen.close()
        try await waiting.close()
    }

    @Test("the server sees a hanging large write as idle in transaction, so it can end it")
    func largeWrite() async throws {
        let storage = try await server.open(), server = server
        let states = try await storage.write { writer in
            for number in 0..<2_500 { try writer.put(Sample.page("\(number)"), in: Sample.pages) }
            var states: Set<String> = []
            for _ in 0..<200 where !states.contains("idle in transaction") {
                let state = try server.psql(
                    "SELECT state FROM pg_stat_activity WHERE application_name = '\(server.application)' "
                        + "AND xact_start IS NOT NULL")
                states.insert(state)
            }
            return states
        }
        #expect(states.contains("idle in transaction"))
        #expect(try await storage.read { try $0.count(Query(Sample.pages)) } == 2_500)
        try await storage.close()
    }
}

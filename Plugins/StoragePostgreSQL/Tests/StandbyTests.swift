import PatchbayCore
@testable import PatchbayTestKit
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// A standby of the test's own server.
@Suite("A server with a standby", .mayBlock, .needsPostgreSQL, .timeLimit(.minutes(5)))
struct StandbyTests {
    @Test("the primary reports standbys without synchronous commit, and the standby is opened for reading")
    func standby() async throws {
        let server = try OwnServer(), standbyURL = try server.addStandby()
        let storage = PostgreSQLStorage(url: server.url)
        try await storage.open(Sample.schema)
        try await storage.put([Sample.person(1)], in: Sample.people)
        let concerns = try await storage.describe().concerns
        #expect(concerns.map(\.finding).contains { $0.contains("does not wait for them") })
        try server.set("synchronous_standby_names", to: "*")
        while try await !storage.describe().concerns.isEmpty {}
        try await storage.put([Sample.person(2)], in: Sample.people)
        let standby = PostgreSQLStorage(url: standbyURL)
        try await standby.open(Sample.schema)
        while try await standby.rows(Query(Sample.people)).count < 2 {}
        #expect(try await standby.describe().concerns.contains { $0.finding.contains("is a standby") })
        let error = await fault { try await standby.put([Sample.person(3)], in: Sample.people) }
        #expect(error?.code == .permissionDenied && error?.server != nil)
        #expect(error?.message.contains("is a standby") == true, "\(String(describing: error))")
        #expect(error?.message.contains("target_session_attrs=read-write") == true)
        // Of the two, the one that accepts writes.
        let hosts = [standbyURL, server.url].map { $0.split(separator: " ")[0].dropFirst("host=".count) }
        let either = PostgreSQLStorage(
            url:
                "host=\(hosts.joined(separator: ",")) user=postgres dbname=postgres target_session_attrs=read-write"
        )
        try await either.open(Sample.schema)
        try await either.put([Sample.person(3)], in: Sample.people)
        #expect(try await storage.rows(Query(Sample.people)).count == 3)
        for open in [storage, standby, either] { try await open.close() }
    }
}

/// An administrator cancels the wait of a commit for standbys.
@Suite("A commit that waits for a standby", .mayBlock, .needsPostgreSQL, .timeLimit(.minutes(5)))
struct WaitingCommitTests {
    @Test("when its wait is cancelled, the write is not acknowledged before its next commit is durable")
    func cutShort() async throws {
        let server = try OwnServer(), storage = PostgreSQLStorage(url: server.url), progress = Progress()
        try await storage.open(Sample.schema)
        let before = try await storage.revision()
        try server.set("synchronous_standby_names", to: "nobody")
        async let writing: Void = WorkThread("test").run { _ in
            try await storage.write { writer in
                progress.acknowledged.withLock { rows in _ = rows.insert(Int64(rows.count)) }
                try writer.put(Sample.page("x"), in: Sample.pages)
            }
            progress.isOver.store(true, ordering: .relaxed)
        }
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while try server.psql(waiting) != "1\n" {}
        try server.psql(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        // Other sessions see the rows now, but a failover could still lose them.
        while try server.psql("SELECT count(*) FROM patchbay.pages") != "1\n" {}
        while try server.psql(waiting) != "1\n" {}
        let isOver = progress.isOver.load(ordering: .relaxed)
        #expect(!isOver)
        try server.set("synchronous_standby_names", to: "")
        try await writing
        #expect(progress.acknowledged.withLock { $0.count } == 1)
        #expect(try await storage.revision() == before + 1)
        try await storage.close()
    }
}

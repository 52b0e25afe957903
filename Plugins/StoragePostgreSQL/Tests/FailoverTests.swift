@testable import PatchbayCore
@testable import PatchbayTestKit
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// A failover to a standby that has not received the newest commits.
@Suite("A failover that loses commits", .mayBlock, .needsPostgreSQL, .timeLimit(.minutes(5)))
struct FailoverTests {
    @Test("revisions and change numbers of lost commits are not given again, and the loss is reported once")
    func lost() async throws {
        let first = try OwnServer(), second = try first.addStandby()
        let hosts = [first.url, second].map { $0.split(separator: " ")[0].dropFirst("host=".count) }
        let url =
            "host=\(hosts.joined(separator: ",")) user=postgres dbname=postgres target_session_attrs=read-write"
        let notices = Mutex<[String]>([])
        let schema = Schema(version: 1, [Sample.people, Incarnation.collection])
        func opened() async throws -> Store {
            let storage = PostgreSQLStorage(url: url, connectTimeoutSeconds: 2, answerTimeoutSeconds: 1)
            return try await Store(storage, schema: schema) { progress in
                if progress.isNotice { notices.withLock { $0.append(progress.task) } }
            }
        }
        let store = try await opened()
        try await add(1, to: store)
        while try OwnServer.psql("SELECT count(*) FROM patchbay.people", at: second) != "1\n" {}
        // The standby receives nothing any more.
        _ = try OwnServer.psql("ALTER SYSTEM SET primary_conninfo = ''", at: second)
        _ = try OwnServer.psql("SELECT pg_reload_conf()", at: second)
        while try first.psql("SELECT count(*) FROM pg_stat_replication") != "0\n" {}
        var revisions: Set<UInt64> = [], numbers: Set<String> = []
        for id in 2...4 as ClosedRange<Int64> {
            numbers.insert(try await add(id, to: store))
            revisions.insert(try await store.revision())
        }
        let before = try await store.read { try $0.incarnation() }
        try first.freeze()
        _ = try OwnServer.psql("SELECT pg_promote()", at: second)
        for id in 12...16 as ClosedRange<Int64> {
            numbers.insert(try await add(id, to: store))
            revisions.insert(try await store.revision())
        }
        #expect(revisions.count == 8)
        let last = try await store.revision()
        #expect(revisions.max() == last)
        #expect(numbers.count == 8)
        let after = try await store.read { try $0.incarnation() }
        #expect(before != nil && after?.id != before?.id)
        let count = try await store.read { try $0.count(Query(Sample.people)) }
        #expect(count == 6)
        let other = try await opened()
        try await other.close()
        try await store.close()
        try first.thaw()
        #expect(notices.withLock { $0 }.count == 1)
        #expect(notices.withLock { $0 }.first?.contains("3 acknowledged commits are missing") == true)
    }

    /// Puts a row, and returns its change number with the incarnation that gave it.
    @discardableResult
    private func add(_ id: Int64, to store: Store) async throws -> String {
        try await store.write { writing in
            try writing.writer.put(Sample.person(id), in: Sample.people)
            let number = try writing.changeNumber()
            return "\(try writing.reading.incarnation()?.id ?? "") \(number)"
        }
    }
}

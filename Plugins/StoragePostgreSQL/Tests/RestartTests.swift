import Foundation
import PatchbayCore
@testable import PatchbayTestKit
import StoragePostgreSQL
import Synchronization
import Testing
import TestSupport

/// A server of the test's own, which it may crash and set as it likes.
@Suite("A server that crashes", .needsPostgreSQL, .timeLimit(.minutes(2)))
struct RestartTests {
    private let server: OwnServer

    init() throws { server = try OwnServer() }

    @Test("four writers lose nothing that was acknowledged, and write nothing twice")
    func crash() async throws {
        let storage = PostgreSQLStorage(url: server.url, connectionsMax: 4)
        try await storage.open(Sample.schema)
        let progress = Progress(), server = server
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...4 as ClosedRange<Int64> {
                group.addTask {
                    var number = writer * 1_000_000
                    while !progress.isOver.load(ordering: .relaxed) {
                        number += 1
                        // The count makes a commit that is made twice visible.
                        try await storage.write { [number] transaction in
                            try transaction.put(Sample.page("\(number)", visits: 1), in: Sample.pages)
                            let old = try transaction.values("count", in: Sample.pages)?[2]
                            let count = if case .integer(let count)? = old { count } else { 0 as Int64 }
                            try transaction.put(Sample.page("count", visits: count + 1), in: Sample.pages)
                        }
                        let total = progress.acknowledged.withLock { rows in
                            rows.insert(number)
                            return rows.count
                        }
                        if total == 50 { progress.enough.send() }
                    }
                }
            }
            await progress.enough.arrives()
            try await OwnThread().run { _ in try server.crash() }
            let before = progress.acknowledged.withLock { $0.count }
            while progress.acknowledged.withLock({ $0.count }) < before + 50 { await Task.yield() }
            progress.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        let rows = try await storage.rows(Query(Sample.pages))
        let stored = Set(rows.compactMap { if case .text(let key) = $0[0] { Int64(key) } else { nil } })
        #expect(stored == progress.acknowledged.withLock { $0 })
        #expect(try await storage.values("count", in: Sample.pages)?[2] == .integer(Int64(stored.count)))
        try await storage.close()
    }

    @Test("settings that endanger rows are named, with what to do")
    func concerns() async throws {
        let storage = PostgreSQLStorage(url: server.url)
        try await storage.open(Sample.schema)
        #expect(try await storage.describe().concerns.isEmpty)
        try server.psql("ALTER SYSTEM SET fsync = off")
        try server.psql("ALTER SYSTEM SET full_page_writes = off")
        try server.psql("SELECT pg_reload_conf()")
        // A connection hears of it between two statements.
        var concerns: [StorageDescription.Concern] = []
        while concerns.count < 2 { concerns = try await storage.describe().concerns }
        #expect(concerns.map(\.finding).contains { $0.contains("fsync = off") })
        #expect(concerns.map(\.advice).contains("set full_page_writes = on"))
        try await storage.close()
    }
}

/// A standby of the test's own server.
@Suite("A server with a standby", .needsPostgreSQL, .timeLimit(.minutes(2)))
struct StandbyTests {
    @Test("both are named as concerns; the standby is read, and commits wait for it where the server says so")
    func standby() async throws {
        let server = try OwnServer(), standbyURL = try server.addStandby()
        let storage = PostgreSQLStorage(url: server.url)
        try await storage.open(Sample.schema)
        try await storage.put([Sample.person(1)], in: Sample.people)
        let concerns = try await storage.describe().concerns
        #expect(concerns.map(\.finding).contains { $0.contains("does not wait for them") })
        try server.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try server.psql("SELECT pg_reload_conf()")
        while try await !storage.describe().concerns.isEmpty {}
        try await storage.put([Sample.person(2)], in: Sample.people)
        let standby = PostgreSQLStorage(url: standbyURL)
        try await standby.open(Sample.schema)
        while try await standby.rows(Query(Sample.people)).count < 2 {}
        #expect(try await standby.describe().concerns.contains { $0.finding.contains("is a standby") })
        let error = await failure { try await standby.put([Sample.person(3)], in: Sample.people) }
        #expect(error?.code == .permissionDenied)
        // Of both, the one that takes writes.
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

/// What writers have done.
private final class Progress: Sendable {
    let acknowledged = Mutex<Set<Int64>>([])
    let isOver = Atomic(false)
    let enough = Signal("enough rows were written")
}

/// A server that goes away with the last reference to it.
private final class OwnServer: Sendable {
    let url: String
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        url = try OwnServer.value("PATCHBAY_POSTGRES", of: OwnServer.script("start", folder))
    }

    deinit {
        // What stays behind is thrown away with the machine's temporary files.
        _ = try? OwnServer.script("stop", folder)
    }

    /// - Returns: its address.
    func addStandby() throws -> String {
        try OwnServer.value("PATCHBAY_STANDBY", of: OwnServer.script("standby", folder))
    }

    func psql(_ sql: String) throws { _ = try Shell.output(of: "psql '\(url)' -qc \"\(sql)\"") }

    private static func value(_ name: String, of printed: String) throws -> String {
        let line = printed.split(separator: "\n").first { $0.contains("\(name)=") }
        guard let words = line?.split(separator: "'"), words.count == 2 else {
            throw BrokenPromise("no server: \(printed)")
        }
        return String(words[1])
    }

    func crash() throws { _ = try OwnServer.script("crash", folder) }

    private static func script(_ verb: String, _ folder: TemporaryDirectory) throws -> String {
        try Shell.output(of: "'\(Checkout.path("Scripts/postgres.sh"))' \(verb) '\(folder.path)' 2>&1")
    }
}

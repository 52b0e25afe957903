import PatchbayCore
@testable import PatchbayTestKit
import StoragePostgreSQL
import Synchronization
import Testing
import TestSupport

/// A server of the test's own, which it may crash and reconfigure.
@Suite("A server that crashes", .mayBlock, .needsPostgreSQL, .timeLimit(.minutes(5)))
struct RestartTests {
    private let server: OwnServer

    init() throws { server = try OwnServer() }

    @Test("four writers lose no acknowledged row, and no row is written twice")
    func crash() async throws {
        // The server's recovery takes long while other tests keep the disk busy.
        let storage = PostgreSQLStorage(url: server.url, connectionsMax: 4, busyTimeoutMilliseconds: 180_000)
        try await storage.open(Sample.schema)
        let progress = Progress(), server = server
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...4 as ClosedRange<Int64> {
                group.addTask {
                    var number = writer * 1_000_000
                    while !progress.isOver.load(ordering: .relaxed) {
                        number += 1
                        // The counter reveals a commit that took effect twice.
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
            try await WorkThread("test").run { _ in try server.crash() }
            let before = progress.acknowledged.withLock { $0.count }
            while progress.acknowledged.withLock({ $0.count }) < before + 50 {
                try await Task.sleep(for: .milliseconds(10))
            }
            progress.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        let rows = try await storage.rows(Query(Sample.pages))
        let stored = Set(rows.compactMap { if case .text(let key) = $0[0] { Int64(key) } else { nil } })
        #expect(stored == progress.acknowledged.withLock { $0 })
        #expect(try await storage.values("count", in: Sample.pages)?[2] == .integer(Int64(stored.count)))
        try await storage.close()
    }

    @Test("settings that endanger rows are reported, with advice")
    func concerns() async throws {
        let storage = PostgreSQLStorage(url: server.url)
        try await storage.open(Sample.schema)
        #expect(try await storage.describe().concerns.isEmpty)
        try server.set("fsync", to: "off")
        try server.set("full_page_writes", to: "off")
        // A connection receives the new setting between two statements.
        var concerns: [StorageDescription.Concern] = []
        while concerns.count < 2 { concerns = try await storage.describe().concerns }
        #expect(concerns.map(\.finding).contains { $0.contains("fsync = off") })
        #expect(concerns.map(\.advice).contains("set full_page_writes = on"))
        try await storage.close()
    }
}

/// The progress of the writers.
final class Progress: Sendable {
    let acknowledged = Mutex<Set<Int64>>([])
    let isOver = Atomic(false)
    let enough = Signal("enough rows were written")
}

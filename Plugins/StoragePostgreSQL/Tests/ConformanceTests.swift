import PatchbayCore
import PatchbayTestKit
import StoragePostgreSQL
import Testing
import TestSupport

@Suite("PostgreSQL keeps the promises of a storage", .mayBlock)
struct ConformanceTests {
    private func check(_ promise: Promise, _ url: String?) async throws {
        let schemas = PostgreSQLSchemas()
        try await StorageConformance { folder in
            // On a busy machine, tasks that have got a connection may wait long for a thread.
            PostgreSQLStorage(
                url: url ?? "", schema: schemas.name(for: folder), connectionsMax: 4,
                busyTimeoutMilliseconds: 600_000)
        }.check(promise)
    }

    @Test(.needsPostgreSQL, arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws { try await check(promise, PostgreSQLServer.url) }

    @Test(
        "through a pooler that gives each transaction a different session", .needsPgBouncer,
        arguments: StorageConformance.promises)
    func keepsPooled(_ promise: Promise) async throws { try await check(promise, PostgreSQLServer.poolerURL) }
}

import PatchbayCore
import PatchbayTestKit
import StoragePostgreSQL
import TestSupport
import Testing

@Suite("PostgreSQL keeps the promises of a storage", .needsPostgreSQL)
struct ConformanceTests {
    @Test(arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        let schemas = PostgreSQLSchemas()
        try await StorageConformance { TestServer.storage(schemas.name(for: $0)) }.check(promise)
    }
}

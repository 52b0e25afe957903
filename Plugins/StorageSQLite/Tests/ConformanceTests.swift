import PatchbayCore
import PatchbayTestKit
import StorageSQLite
import Testing

@Suite("SQLite keeps the promises of a storage")
struct ConformanceTests {
    @Test(arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        try await StorageConformance { SQLiteStorage(path: $0 + "/test.sqlite") }.check(promise)
    }
}

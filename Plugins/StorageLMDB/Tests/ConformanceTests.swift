import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("LMDB keeps the promises of a storage")
struct ConformanceTests {
    @Test("LMDB keeps the promise", arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        try await StorageConformance { LMDBStorage(path: $0 + "/store", durability: .off) }.check(promise)
    }
}

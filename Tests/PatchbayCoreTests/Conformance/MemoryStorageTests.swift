import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("memory storage") struct MemoryStorageTests {
    @Test("keeps the promises", arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        try await StorageConformance { _ in MemoryStorage() }.check(promise)
    }
}

import AppendOnlyStorage
import PatchbayTestKit
import Testing

@Suite("The append-only storage")
struct ConformanceTests {
    @Test("keeps the promises of a storage", arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        try await StorageConformance { AppendOnlyStorage(path: $0 + "/store", durability: .normal) }.check(
            promise)
    }

    @Test("does not make every promise: the plan lists skipped ones with the reason")
    func plan() {
        let plan = StorageConformance.describePlan(for: AppendOnlyStorage(path: "unused").features)
        print(plan)
        #expect(plan.contains("skipped"))
    }

    @Test("returns the same results as the model after any operations")
    func model() async throws {
        try await StorageConformance { AppendOnlyStorage(path: $0 + "/store", durability: .normal) }
            .compareWithModel(steps: 300)
    }
}

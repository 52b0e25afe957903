import PatchbayCore
@testable import PatchbayTestKit
import Testing

@Suite("conformance suite") struct ConformanceTests {
    private func conformance(_ fault: Fault?) -> StorageConformance {
        let shelf = Shelf()
        return StorageConformance { directory in
            let kept = KeptStorage(shelf, directory, fault)
            return if let fault { FaultyStorage(kept, fault) } else { kept }
        }
    }

    @Test("a durable storage without a fault keeps every promise", arguments: StorageConformance.promises)
    func faultless(_ promise: Promise) async throws {
        let outcome = try await conformance(nil).check(promise)
        let isShared = promise.needs.contains(.sharedBetweenProcesses)
        #expect((outcome == .kept) == !isShared)
    }

    @Test("each fault breaks a promise of its topic", arguments: Fault.allCases)
    func caught(_ fault: Fault) async throws {
        for promise in StorageConformance.promises where promise.topic == fault.topic {
            do {
                try await conformance(fault).check(promise)
            } catch let broken as BrokenPromise {
                return #expect(broken.promise == promise.description)
            }
        }
        Issue.record("no promise of the topic \(fault.topic) broke")
    }

    @Test(
        "the random test finds faults too, and prints how to repeat it",
        arguments: Fault.allCases.filter(\.isFoundByModel))
    func foundByModel(_ fault: Fault) async throws {
        let promise = try #require(Promise.model.first)
        let error = await #expect(throws: BrokenPromise.self) { try await conformance(fault).check(promise) }
        #expect(error?.message.contains("PATCHBAY_SEED=") == true)
        #expect(error?.message.contains("the step was: ") == true)
    }

    @Test("the same seed finds the same fault at the same step")
    func repeatable() async throws {
        var messages: Set<String> = []
        for _ in 0..<2 {
            let shelf = Shelf()
            let workbench = Workbench(directory: "here") {
                FaultyStorage(KeptStorage(shelf, $0), .losesEveryFifthPut)
            }
            let error = await #expect(throws: BrokenPromise.self) {
                try await ModelTest(workbench, steps: 100).run(SeededGenerator(seed: 7))
            }
            messages.insert(error?.message ?? "")
        }
        #expect(messages.count == 1)
    }

    @Test("the plan selects the promises by features, and gives a reason for each skipped one")
    func plan() {
        let all = StorageConformance.promises.count
        for features in [[], .durable, [.durable, .sharedBetweenProcesses], .readsDuringWrite]
            as [StorageFeatures]
        {
            let plan = StorageConformance.plan(for: features)
            #expect(plan.run.count + plan.skipped.count == all)
            #expect(plan.skipped.allSatisfy { !$0.reason.isEmpty })
        }
        let skipped = StorageConformance.plan(for: []).skipped
        #expect(
            skipped.contains { $0.promise.topic == "migration" && $0.reason == "the storage is not durable" }
        )
    }

    @Test("no two promises have the same name")
    func sentences() {
        #expect(
            Set(StorageConformance.promises.map(\.description)).count == StorageConformance.promises.count)
    }

    @Test("a storage that throws unexpectedly is reported with its error")
    func thrown() async throws {
        let failing = StorageConformance { _ in throw PatchbayError(.storageFull, "the disk is full") }
        await #expect(throws: (any Error).self) { try await failing.check(StorageConformance.promises[0]) }
    }
}

import Patchbay
import PatchbayTestKit
import Testing

@Suite("A broken copy of the storage")
struct BrokenCopyTests {
    @Test("is detected, with a message that names the fault", arguments: BrokenCopy.Fault.allCases)
    func caught(_ fault: BrokenCopy.Fault) async throws {
        let conformance = StorageConformance { BrokenCopy(path: $0 + "/store", fault) }
        for promise in StorageConformance.promises where promise.topic == fault.topic {
            do {
                try await conformance.check(promise)
            } catch let broken as BrokenPromise {
                print("\(fault): \(broken)")
                return #expect(fault.signs.allSatisfy { broken.message.contains($0) })
            }
        }
        Issue.record("no promise of the topic \(fault.topic) broke")
    }
}

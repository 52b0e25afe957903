import Patchbay
import PatchbayTestKit
import Testing

@Suite("A broken copy of the storage")
struct BrokenCopyTests {
    @Test("is found out, with a message that says what is wrong", arguments: BrokenCopy.Fault.allCases)
    func caught(_ fault: BrokenCopy.Fault) async throws {
        let conformance = StorageConformance { BrokenCopy(path: $0 + "/store", fault) }
        var messages: [String] = []
        for promise in StorageConformance.promises {
            do {
                try await conformance.check(promise)
            } catch let broken as BrokenPromise {
                messages.append(broken.description)
            }
        }
        let first = try #require(messages.first { $0.hasPrefix("broken promise \"\(fault.topic)") })
        print("\(fault): \(messages.count) promises broken, among them\n  \(first)")
        #expect(fault.signs.allSatisfy { first.contains($0) })
    }
}

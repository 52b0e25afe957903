import PatchbayCore
import Testing

@Suite("opening for reading after writing failed")
struct StorageOpeningTests {
    struct Other: Error {}

    @Test(
        "a storage that cannot be written is opened for reading, and receives the reason",
        arguments: [PatchbayError.Code.permissionDenied, .storageFull])
    func reads(_ code: PatchbayError.Code) throws {
        #expect(try StorageOpening.read(after: PatchbayError(code, "why")) { $0.message } == "why")
    }

    @Test("the first failure is thrown when reading fails as well")
    func firstFailure() {
        let error = #expect(throws: PatchbayError.self) {
            try StorageOpening.read(after: PatchbayError(.storageFull, "full")) { _ in throw Other() }
        }
        #expect(error?.message == "full")
    }

    @Test("after any other failure reading is not tried")
    func otherFailures() {
        #expect(throws: Other.self) {
            try StorageOpening.read(after: Other()) { _ in Issue.record("read") }
        }
        let error = #expect(throws: PatchbayError.self) {
            try StorageOpening.read(after: PatchbayError(.corrupted, "torn")) { _ in Issue.record("read") }
        }
        #expect(error?.code == .corrupted)
    }
}

import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("The line of an error")
struct ErrorLineTests {
    @Test("a cause follows the message, except a refusal, which the message already states")
    func causes() {
        let removed = "x.example reports that this was removed"
        #expect(PatchbayError(.permissionDenied, removed, cause: Refusal(.removed)).oneLine == removed)
        let cause = PatchbayError(.offline, "x.example could not answer")
        #expect(
            PatchbayError(.busy, "it failed", cause: cause).oneLine
                == "it failed; because x.example could not answer")
    }
}

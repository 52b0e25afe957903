import PatchbayCore
import Testing

@testable import PatchbayQuery

/// Lets the searches of tests wait for a thread as long as those of other tests run, not for 10 seconds.
struct PatientSearches: SuiteTrait, TestTrait, TestScoping {
    private static let threads = TextIndex.threads(patience: .seconds(600))

    /// Applies the trait to each test of a suite.
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await TextIndex.$sharedThreads.withValue(Self.threads) { try await function() }
    }
}

extension Trait where Self == PatientSearches {
    /// Lets searches wait for a thread until the time limit of the test.
    static var searchesWait: Self { PatientSearches() }
}

import PatchbayCore

/// One part of a sync, done in steps that each leave the storage whole.
protocol SyncStage: Sendable {
    /// What it will cost, from what is stored.
    func plan() async throws -> SyncPlan

    /// Asks for the next page, or for some rows, and saves them.
    ///
    /// - Parameters:
    ///   - requestsLeft: how many questions may be asked.
    ///   - report: what to tell of single rows.
    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep
}

/// What came of a step.
enum SyncStep: Sendable {
    case saved
    /// There was nothing left to do.
    case finished
    /// There is something left to do, but no request may be sent.
    case limitReached
}

/// A part that cannot begin.
struct FailedStage: SyncStage {
    let error: PatchbayError

    func plan() async throws -> SyncPlan { throw error }

    func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep { throw error }
}

/// Checks before anything is asked that the source may write.
struct SourceCheck: SyncStage {
    let store: SourceStore

    func plan() async throws -> SyncPlan {
        try await store.check()
        return SyncPlan()
    }

    func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        try await store.check()
        return .finished
    }
}

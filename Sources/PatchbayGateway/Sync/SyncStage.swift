import PatchbayCore

/// One part of a sync. Each of its steps leaves the storage consistent.
protocol SyncStage: Sendable {
    /// Estimates the cost from the storage.
    func plan() async throws -> SyncPlan

    /// Fetches the next page, or some rows, and saves them.
    ///
    /// - Parameters:
    ///   - requestsLeft: the number of requests that may be sent. A page of a list takes one, the first one of a run
    ///     that continues two.
    ///   - report: called with events about single rows.
    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep
}

/// The result of a step.
enum SyncStep: Sendable {
    case saved
    /// Nothing was left to do.
    case finished
    /// Something is left to do, but no request may be sent.
    case limitReached
}

/// A stage that cannot begin.
struct FailedStage: SyncStage {
    let error: PatchbayError

    /// Makes a stage, or one that fails with the error of making it.
    static func unless(_ make: () throws -> any SyncStage) -> any SyncStage {
        do { return try make() } catch { return FailedStage(error: PatchbayError(wrapping: error)) }
    }

    func plan() async throws -> SyncPlan { throw error }

    func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep { throw error }
}

import PatchbayCore

/// Fetches one resource after another. A failure that may concern only one resource does not stop the others; its error
/// is thrown at the end.
struct EveryResource: SyncStage {
    private var stages: [(name: String, stage: any SyncStage)]
    private var failure: PatchbayError?
    /// The number of consecutive resources for which the server failed to answer.
    private var failuresInRow = 0

    init(_ stages: [(name: String, stage: any SyncStage)]) { self.stages = stages }

    func plan() async throws -> SyncPlan {
        var plan = SyncPlan()
        for (_, stage) in stages { plan.add(try await stage.plan()) }
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        while let (name, first) = stages.first {
            do {
                var stage = first
                let step = try await stage.step(&progress, requestsLeft: requestsLeft, report: report)
                guard step == .finished else {
                    stages[0].stage = stage
                    return step
                }
                failuresInRow = 0
            } catch let error as PatchbayError where error.isAboutRow || error.isServerFailure {
                progress.skipped += 1
                report(.skipped(name, error))
                failure = failure ?? error
                failuresInRow = error.isServerFailure ? failuresInRow + 1 : 0
                if failuresInRow == SkippedRows.failuresMax { throw error.ofServerDown }
            }
            stages.removeFirst()
        }
        if let failure { throw failure }
        return .finished
    }
}

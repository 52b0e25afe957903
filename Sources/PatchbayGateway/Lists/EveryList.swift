import PatchbayCore
import PatchbayDomain

/// Fetches several lists, one after another. A failure that may concern only one of them does not stop the others; its
/// error is thrown at the end.
///
/// A round that was interrupted, or ended by a limit, continues for a day: a list that was completed since it began is
/// not requested again. So a sync with a limit of requests reaches the last list after enough runs. Any other error
/// ends the round, because it may return each time, and the completed lists would never be requested again.
struct EveryList: SyncStage {
    /// A list, or the lists of all rows of a resource.
    struct Part: Sendable {
        let name: String
        /// Whether it has any list: one that belongs to rows has none until such rows are stored.
        let hasLists: @Sendable () async throws -> Bool
        let stage: @Sendable (SyncStart) -> any SyncStage
    }

    private let parts: [Part]
    private let round: SyncRound
    private let start: SyncStart
    /// The cursor of the round; nil before the first step.
    private var cursor: StoredListRun?
    private var stages: [(name: String, stage: any SyncStage)] = []
    private var failure: PatchbayError?
    /// The number of consecutive lists for which the server failed to answer.
    private var failuresInRow = 0

    /// - Parameter resource: whose lists these are; nil for those of the whole source.
    init(_ parts: [Part], of resource: Resource?, _ gateway: Gateway, from start: SyncStart) {
        self.parts = parts
        round = SyncRound(
            gateway: gateway, name: "every list of \(resource?.collection.name ?? gateway.source.identity)",
            query: ([gateway.source.identity] + parts.map(\.name)).joined(separator: ", "),
            ageMax: .seconds(86_400))
        self.start = start
    }

    func plan() async throws -> SyncPlan {
        let start = try await round.interrupted(start)?.start ?? start
        var plan = SyncPlan()
        for part in parts { plan.add(try await part.stage(start).plan()) }
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        let cursor = try await begun(report)
        do {
            let step = try await advance(&progress, requestsLeft: requestsLeft, report: report)
            guard step == .finished else { return step }
        } catch let error as PatchbayError where error.code != .rateLimited {
            // The storage may be what has failed; the first error is the one to report.
            try? await round.finish(cursor)
            throw error
        }
        try await round.finish(cursor)
        if let failure { throw failure }
        return .finished
    }

    /// One step of the next list that has one.
    private mutating func advance(
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
        return .finished
    }

    private static let nothingToFetch =
        "nothing was requested, because each list needs an argument, belongs to rows that are not stored, or is "
        + "declared too long; sync a resource by its name first"

    private func hasNoLists() async throws -> Bool {
        for part in parts where try await part.hasLists() { return false }
        return true
    }

    private mutating func begun(_ report: (SyncEvent) -> Void) async throws -> StoredListRun {
        if let cursor { return cursor }
        let (begun, isContinued) = try await round.begun(start)
        if isContinued, parts.count > 1 { report(.noted("every list", SyncRound.note(begun))) }
        cursor = begun
        if try await hasNoLists() { report(.noted("every list", Self.nothingToFetch)) }
        stages = parts.map { ($0.name, $0.stage(isContinued ? begun.start : start)) }
        return begun
    }
}

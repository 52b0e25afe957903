import PatchbayCore
import PatchbayDomain

/// Fetches several lists, one after another. A failure that may concern only one of them does not stop the others; its
/// error is thrown at the end.
///
/// A round that was interrupted continues: a list that was completed since it began is not requested again. So a sync
/// with a limit of requests reaches the last list after enough runs.
struct EveryList: SyncStage {
    /// A list, or the lists of all rows of a resource.
    struct Part: Sendable {
        let name: String
        let stage: @Sendable (SyncStart) -> any SyncStage
    }

    private let parts: [Part]
    private let gateway: Gateway
    private let start: SyncStart
    /// The cursor of the round; nil before the first step.
    private var round: StoredListRun?
    private var stages: [(name: String, stage: any SyncStage)] = []
    private var failure: PatchbayError?
    /// The number of consecutive lists for which the server failed to answer.
    private var failuresInRow = 0

    init(_ parts: [Part], of gateway: Gateway, from start: SyncStart) {
        self.parts = parts
        self.gateway = gateway
        self.start = start
    }

    private var list: String { "every list of \(gateway.source.identity)" }

    private var query: String { parts.map(\.name).joined(separator: ", ") }

    private func interrupted() async throws -> StoredListRun? {
        start == .whereItStopped ? try await gateway.unfinished(list, query: query) : nil
    }

    func plan() async throws -> SyncPlan {
        let start = try await interrupted().map { SyncStart.continuing(since: $0.startedAt) } ?? start
        var plan = SyncPlan()
        for part in parts { plan.add(try await part.stage(start).plan()) }
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        var round = try await begun(report)
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
        round.finishedAt = gateway.now()
        try await gateway.store.write { [round] in try $0.put(round) }
        if let failure { throw failure }
        return .finished
    }

    private static func note(_ round: StoredListRun) -> String {
        "this sync continues the one of \(round.startedAt); lists completed since then are not requested again"
    }

    private mutating func begun(_ report: (SyncEvent) -> Void) async throws -> StoredListRun {
        if let round { return round }
        let begun: StoredListRun
        var start = start
        if let interrupted = try await interrupted() {
            begun = interrupted
            start = .continuing(since: begun.startedAt)
            if parts.count > 1 { report(.noted("every list", Self.note(begun))) }
        } else {
            begun = StoredListRun(list: list, query: query, startedAt: gateway.now())
            try await gateway.store.write { try $0.put(begun) }
        }
        round = begun
        stages = parts.map { ($0.name, $0.stage(start)) }
        return begun
    }
}

extension Gateway {
    /// The run with a name and a query that has not reached its end.
    func unfinished(_ list: String, query: String) async throws -> StoredListRun? {
        let run = try await store.read { try $0.get(StoredListRun.self, .text(list)) }
        return run?.query == query && run?.finishedAt == nil ? run : nil
    }
}

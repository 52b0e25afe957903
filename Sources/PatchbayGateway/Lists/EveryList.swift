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
        let stage: @Sendable (SyncStart) -> any SyncStage
    }

    private let parts: [Part]
    /// The name of the cursor of the round.
    private let list: String
    private let gateway: Gateway
    private let start: SyncStart
    /// The cursor of the round; nil before the first step.
    private var round: StoredListRun?
    private var stages: [(name: String, stage: any SyncStage)] = []
    private var failure: PatchbayError?
    /// The number of consecutive lists for which the server failed to answer.
    private var failuresInRow = 0

    /// - Parameter resource: whose lists these are; nil for those of the whole source.
    init(_ parts: [Part], of resource: Resource?, _ gateway: Gateway, from start: SyncStart) {
        self.parts = parts
        list = "every list of \(resource?.collection.name ?? gateway.source.identity)"
        self.gateway = gateway
        self.start = start
    }

    private var query: String { ([gateway.source.identity] + parts.map(\.name)).joined(separator: ", ") }

    private func interrupted() async throws -> StoredListRun? {
        guard start == .whereItStopped, let round = try await gateway.unfinished(list, query: query),
            round.startedAt.advanced(by: Self.ageMax) > gateway.now()
        else { return nil }
        return round
    }

    /// How long an interrupted round continues. Later, the lists that it completed are old.
    private static let ageMax = Duration.seconds(86_400)

    func plan() async throws -> SyncPlan {
        let start = try await interrupted().map { SyncStart.continuing(since: $0.startedAt) } ?? start
        var plan = SyncPlan()
        for part in parts { plan.add(try await part.stage(start).plan()) }
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        let round = try await begun(report)
        do {
            let step = try await advance(&progress, requestsLeft: requestsLeft, report: report)
            guard step == .finished else { return step }
        } catch let error as PatchbayError where error.code != .rateLimited {
            // The storage may be what has failed; the first error is the one to report.
            try? await finish(round)
            throw error
        }
        try await finish(round)
        if let failure { throw failure }
        return .finished
    }

    private func finish(_ round: StoredListRun) async throws {
        var round = round
        round.finishedAt = gateway.now()
        try await gateway.store.write { [round] in try $0.put(round) }
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

import PatchbayCore
import PatchbayDomain

/// Fetches the lists of all stored rows of a resource, several at a time.
///
/// The cursors of the lists record the progress. A list completed since this round began is not requested again, so an
/// interrupted round resumes, and rows stored meanwhile are found wherever they are in the order. Memory does not grow
/// with the number of rows.
struct ChildrenStage: SyncStage {
    private let list: ChildList
    private let start: SyncStart
    private let concurrency: Int
    /// Whether it is an error that no rows are stored.
    private let needsParents: Bool
    private var round: StoredListRun?
    private var parents: Int64 = 0
    /// The rows up to here were examined.
    private var place: ChildList.Place
    private var active: [Child] = []
    private var skipped = SkippedRows()

    /// A list that is being fetched.
    private struct Child: Sendable {
        let parent: Item
        var stage: any SyncStage

        /// The most requests that a step sends.
        static let requestsMax = 2

        /// Takes one step.
        func advanced(_ requestsLeft: Int) async throws -> (child: Child, step: SyncStep, SyncProgress) {
            var child = self, progress = SyncProgress()
            let step = try await child.stage.step(
                &progress, requestsLeft: min(requestsLeft, Self.requestsMax), report: { _ in })
            guard step == .saved else { return (child, step, progress) }
            var rest = SyncProgress()
            let next = try await child.stage.step(&rest, requestsLeft: 0, report: { _ in })
            progress.add(rest.shortfalls)
            return (child, next == .finished ? .finished : .saved, progress)
        }
    }

    init(_ list: ChildList, from start: SyncStart, concurrency: Int, needsParents: Bool) {
        self.list = list
        self.start = start
        self.concurrency = concurrency
        self.needsParents = needsParents
        place = ChildList.Place()
    }

    func plan() async throws -> SyncPlan {
        let round = try await list.round.interrupted(start) ?? list.round.new(start)
        var plan = SyncPlan(), place = place
        while !place.isEnd {
            for parent in try await list.due(&place, in: round, limit: 100).items {
                plan.add(try await list.stage(of: parent, in: round).plan())
            }
        }
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        let round = try await begun(report)
        while active.count < concurrency, !place.isEnd {
            let due = try await list.due(&place, in: round, limit: concurrency - active.count)
            active += due.items.map { Child(parent: $0, stage: list.stage(of: $0, in: round)) }
            progress.add(due.shortfalls)
            if due.isAnyDone { skipped.hasAnswer = true }
        }
        guard !active.isEmpty else {
            if let failure = skipped.failure {
                try await list.round.finish(round)
                throw failure
            }
            if let all = skipped.refusalOfAll {
                let reason = "none of \(all.count) lists was answered; \(all.name): \(all.error.message)"
                progress.add([ListShortfall(list: lists, shortfall: Shortfall(.end, reason))])
            }
            progress.changes.gone += try await list.removeRowsOfGone()
            try await list.round.finish(round)
            return .finished
        }
        guard requestsLeft > 0 else { return try await limitReached(in: round) }
        progress.list = lists
        (progress.next, progress.pageCount) = (nil, parents)
        guard try await advance(&progress, requestsLeft: requestsLeft, report: report) else {
            return try await limitReached(in: round)
        }
        progress.pages = place.passed - Int64(active.count)
        return .saved
    }

    /// The lists, for messages.
    private var lists: String { "\(list.resource.plural) of \(list.parent.plural)" }

    /// Lets the next sync begin with the lists that follow, because those that were refused are due again.
    private func limitReached(in round: StoredListRun) async throws -> SyncStep {
        try await postpone(round, upTo: max(0, place.position - Int64(active.count)))
        return .limitReached
    }

    /// Lets the next sync begin after some lists, which then come last.
    private func postpone(_ round: StoredListRun, upTo position: Int64) async throws {
        var round = round
        round.position = position
        try await list.round.put(round)
    }

    /// Takes a step of each active list.
    ///
    /// - Returns: whether the requests that are left were enough for it.
    private mutating func advance(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> Bool {
        let sent = progress.requests
        // Rows in a field of the row need no request.
        defer { if list.resource.declaration.parentField != nil { progress.requests = sent } }
        let requested = Array(active.prefix(max(1, requestsLeft / Child.requestsMax)))
        var left: [Child] = [], isEnough = true
        do {
            let refused = try await skipped.request(requested, atMost: concurrency, &progress, report) {
                [list] in
                "\(list.resource.plural) of \($0.parent.handle)"
            } _: {
                try await $0.advanced(requestsLeft)
            } take: { advanced, progress in
                progress.take(advanced.2)
                if advanced.step != .finished { left.append(advanced.child) }
                isEnough = isEnough && advanced.step != .limitReached
            }
            for (child, error) in refused {
                progress.add(try await list.shortfalls(of: child.parent, after: error))
            }
        } catch {
            // In case the server fails only for these lists.
            if skipped.isDown, let round { try await postpone(round, upTo: place.position) }
            throw error
        }
        active = left + active.dropFirst(requested.count)
        return isEnough
    }

    private mutating func begun(_ report: (SyncEvent) -> Void) async throws -> StoredListRun {
        if let round { return round }
        parents = try await list.parentCount()
        guard parents > 0 || !needsParents else { throw list.hasNoParents }
        let (begun, isContinued) = try await list.round.begun(start)
        // A round of all lists that continues has reported it.
        if isContinued, !start.isContinuing { report(.noted(lists, SyncRound.note(begun))) }
        place = ChildList.Place(after: begun.position)
        round = begun
        return begun
    }
}

extension SyncProgress {
    /// Adds the rows and changes of a step, of which one request is counted elsewhere.
    fileprivate mutating func take(_ part: SyncProgress) {
        requests += part.requests - 1
        rows += part.rows
        unchanged += part.unchanged
        changes += part.changes
        add(part.shortfalls)
    }
}

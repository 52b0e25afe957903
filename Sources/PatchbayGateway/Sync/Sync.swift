import PatchbayCore
public import PatchbayDomain

/// A sync that fetches rows from the source step by step. Each step is saved with the cursor where the next one
/// continues.
///
///     let sync = try gateway.sync("users", maximumRequests: 500)
///     print(try await sync.plan().requestsMin)
///     for await event in sync { ... }
///
/// A step runs when the next event is requested, so a caller that stops iterating stops the sync. If it is stopped at
/// any moment, by a signal or a power cut, the next sync continues after the last saved step.
public struct Sync: AsyncSequence, Sendable {
    let stages: [any SyncStage]
    let gateway: Gateway
    let maximumRequests: Int?

    init(_ stages: [any SyncStage], of gateway: Gateway, maximumRequests: Int?) {
        precondition(maximumRequests.map { $0 > 0 } ?? true, "a sync needs at least one request")
        self.stages = stages
        self.gateway = gateway
        self.maximumRequests = maximumRequests
    }

    /// Estimates the cost of the sync.
    ///
    /// - Throws: the errors of the storage; `unsupported` when the source does not have the feed; `conflict` when the
    ///   stored rows come from another server.
    public func plan() async throws -> SyncPlan {
        try await gateway.sourceStore.check()
        var plan = SyncPlan()
        for stage in stages { plan.add(try await stage.plan()) }
        plan = plan.limited(to: maximumRequests)
        plan.budget = await gateway.source.budget?()
        return plan
    }

    /// Runs the sync to its end and returns how it ended.
    public func run() async -> (SyncEnd, SyncProgress) {
        for await event in self { if case .ended(let end, let progress) = event { return (end, progress) } }
        return (.interrupted, SyncProgress())
    }

    /// Creates an iterator that starts the sync, or resumes it after the last saved step, at its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Runs one step for each requested event.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: SourceStore
        private var stages: [any SyncStage]
        private let requestsMax: Int
        private var isChecked = false
        private var progress = SyncProgress()
        private var waiting: [SyncEvent] = []
        private var hasEnded = false

        fileprivate init(_ sync: Sync) {
            store = sync.gateway.sourceStore
            stages = sync.stages
            requestsMax = sync.maximumRequests ?? .max
        }

        /// Runs steps until there is an event and returns it; nil after the event `ended`. Errors and cancellation are
        /// reported as `ended`.
        public mutating func next() async -> SyncEvent? {
            if !waiting.isEmpty { return waiting.removeFirst() }
            guard !hasEnded else { return nil }
            do {
                try await step()
            } catch {
                let isCancelled = Task.isCancelled || error is CancellationError
                end(isCancelled ? .interrupted : .failed(PatchbayError(wrapping: error)))
            }
            return waiting.removeFirst()
        }

        /// Runs steps until there is an event.
        private mutating func step() async throws {
            while waiting.isEmpty {
                try Task.checkCancellation()
                // Checked before any request, because the source may not be allowed to write.
                if !isChecked { try await store.check() }
                isChecked = true
                guard !stages.isEmpty else {
                    return end(progress.shortfalls.first.map { .incomplete($0.shortfall) } ?? .complete)
                }
                var events: [SyncEvent] = []
                let known = progress.shortfalls.count
                defer {
                    waiting += events
                    waiting += progress.shortfalls.dropFirst(known).map { .incomplete($0.list, $0.shortfall) }
                }
                let left = requestsMax - progress.requests
                switch try await stages[0].step(
                    &progress, requestsLeft: left, report: { events.append($0) })
                {
                case .saved: events.append(.saved(progress))
                case .finished: stages.removeFirst()
                case .limitReached:
                    guard progress.requests > 0 || requestsMax == 0 else { throw Self.needsTwoRequests }
                    return end(.limitReached)
                }
            }
        }

        private static let needsTwoRequests = PatchbayError(
            .invalidValue,
            "a sync that continues requests the last page again and then the next one, so it takes at least 2 "
                + "requests; allow more, or start over")

        private mutating func end(_ end: SyncEnd) {
            hasEnded = true
            waiting.append(.ended(end, progress))
        }
    }
}

/// The cost of a sync, estimated from the storage without a request.
public struct SyncPlan: Hashable, Sendable {
    /// The number of requests for known pages and rows; at least one for each list.
    public internal(set) var requestsMin = 0
    /// The same number if the end of every list is known, otherwise nil. A list that has grown costs more.
    public internal(set) var requestsMax: Int? = 0
    /// The number of these requests that are conditional, which cost no budget if nothing has changed.
    public internal(set) var conditional = 0
    /// The number of pages of an interrupted sync that need not be fetched again.
    public internal(set) var pagesDone: Int64 = 0
    /// The remaining request budget of the source, if it is known.
    public internal(set) var budget: RequestBudget?

    /// Whether the budget suffices for the known requests; nil without a budget.
    public var fitsBudget: Bool? { budget.map { $0.remaining >= requestsMax ?? requestsMin } }

    /// Adds the cost of another part.
    mutating func add(_ other: SyncPlan) {
        requestsMin += other.requestsMin
        requestsMax = requestsMax.flatMap { known in other.requestsMax.map { known + $0 } }
        conditional += other.conditional
        pagesDone += other.pagesDone
    }

    /// The plan limited to a number of requests.
    func limited(to maximumRequests: Int?) -> SyncPlan {
        guard let maximumRequests else { return self }
        var plan = self
        plan.requestsMin = min(requestsMin, maximumRequests)
        plan.requestsMax = min(requestsMax ?? .max, maximumRequests)
        plan.conditional = min(conditional, maximumRequests)
        return plan
    }
}

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

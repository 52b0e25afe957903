import PatchbayCore
import PatchbayDomain

extension Gateway {
    /// Fetches a list, page by page; resumes where it was interrupted.
    ///
    /// Local edits and stored details stay. Rows missing from the complete list are marked as gone. The row that the
    /// list belongs to is fetched first when it is not stored, or when the handle is a former one.
    ///
    /// - Parameters:
    ///   - details: whether missing details of the rows are fetched as well. Stored details are not requested again,
    ///     nor those of rows that are gone or refused.
    ///   - concurrency: the number of details requested at a time, 1 to 100.
    ///   - maximumRequests: the number of requests after which the sync stops, at least 1; nil for no limit.
    public func sync(
        _ question: NamedQuestion, from start: SyncStart = .whereItStopped, details: Bool = false,
        concurrency: Int = 8, maximumRequests: Int? = nil
    ) -> Sync {
        precondition((1...100).contains(concurrency), "1 to 100 requests at a time")
        var stages: [any SyncStage] = [stage(question, from: start)]
        if details { stages.append(detailStage(question, concurrency)) }
        return Sync(stages, of: self, maximumRequests: maximumRequests)
    }

    func stage(_ question: NamedQuestion, from start: SyncStart) -> any SyncStage {
        FailedStage.unless {
            _ = try requireFeed()
            guard let parent = question.parent else {
                return feed(of: question.question(of: nil)).stage(from: start)
            }
            return ParentStage(question, parent, of: self) {
                feed(of: $0).stage(from: start)
            }
        }
    }

    private func detailStage(_ question: NamedQuestion, _ concurrency: Int) -> any SyncStage {
        FailedStage.unless {
            guard question.resource.declaration.show != nil else {
                throw PatchbayError(
                    .unsupported, "\(question.resource.plural) have no details: the source shows none alone")
            }
            return ItemDetailStage(
                try self.details(of: question.resource), RowsWithoutDetail(question, of: self),
                concurrency: concurrency)
        }
    }
}

/// Finds the row that a list belongs to, then fetches the list.
private struct ParentStage: SyncStage {
    private let question: NamedQuestion
    private let parent: NamedQuestion.Parent
    private let gateway: Gateway
    private let list: @Sendable (ListQuestion) -> any SyncStage
    private var stage: (any SyncStage)?

    init(
        _ question: NamedQuestion, _ parent: NamedQuestion.Parent, of gateway: Gateway,
        list: @escaping @Sendable (ListQuestion) -> any SyncStage
    ) {
        self.question = question
        self.parent = parent
        self.gateway = gateway
        self.list = list
    }

    func plan() async throws -> SyncPlan {
        if let row = try await presentRow() { return try await list(question.question(of: row)).plan() }
        var plan = SyncPlan()
        let isInRow = question.resource.declaration.parentField != nil
        (plan.requestsMin, plan.requestsMax) = isInRow ? (1, 1) : (2, nil)
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        if let step = try await stage?.step(&progress, requestsLeft: requestsLeft, report: report) {
            return step
        }
        if let row = try await presentRow() {
            stage = list(question.question(of: row))
            return try await step(&progress, requestsLeft: requestsLeft, report: report)
        }
        guard requestsLeft > 0 else { return .limitReached }
        progress.list = parent.resource.singular
        progress.requests += 1
        let row = try await gateway.listParent(
            parent.handle, of: parent.resource, isConditional: true,
            isRefreshed: question.resource.declaration.parentField != nil)
        progress.rows += 1
        stage = list(question.question(of: row))
        return .saved
    }

    /// The stored row that currently has the handle.
    private func presentRow() async throws -> Item? {
        // Rows in a field of the row are as old as the row, so it is fetched if it can be.
        if question.resource.declaration.parentField != nil, parent.resource.declaration.show != nil {
            return nil
        }
        let (handle, resource) = (parent.handle, parent.resource)
        let stored = try await gateway.store.read { try $0.item(called: handle, of: resource) }
        return stored.flatMap { $0.isCalledAtSource(handle) ? $0 : nil }
    }
}

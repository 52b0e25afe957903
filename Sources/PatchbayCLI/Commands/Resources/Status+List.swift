import Patchbay

extension Status {
    /// The status of the listed rows, with hints about how the list continues.
    init(
        _ list: ListSummary, _ resource: ResourceDeclaration, _ stretch: ListStretch, from source: Source
    ) {
        self.init(.init(resource), count: list.count, age: list.age, list.outcome, from: source)
        isComplete = list.isComplete
        hasMore = list.hasMore
        shortfall = list.shortfall
        reason = list.reason
        if resource.order == nil {
            if stretch.batch != nil, list.last?.hasMore == true { next = stretch.nextBatch }
            hint = canRequestMore ? stretch.hint : Self.restIsMissing(in: list)
        } else {
            next = list.last?.next
            let hints = Self.gaps(in: list) + [continuation(of: list, stretch.limit)].compactMap(\.self)
            hint = hints.isEmpty ? nil : hints.joined(separator: ", ")
        }
    }

    private static func gaps(in list: ListSummary) -> [String] {
        let gaps = list.gaps.map { "\($0): --after \($0.after)" }, rest = list.gapCount - gaps.count
        return rest > 0 ? gaps + ["\(rest) more gaps"] : gaps
    }

    /// The hint of a stored list that ends before its last row; nil for others.
    private static func restIsMissing(in list: ListSummary) -> String? {
        guard case .localOnly = list.outcome, list.last?.isPartial == true else { return nil }
        return ListSummary.restIsMissing
    }

    /// Describes how an ordered list continues; nil if requesting its rest failed.
    private func continuation(of list: ListSummary, _ limit: Int) -> String? {
        switch (outcome, list.last?.state) {
        case (.failed, _), (.stored, _): break
        case (_, .limitReached(let maximum)): return "the limit of \(maximum) is reached"
        case (_, .endOfSource): return "the end of the list"
        default: break
        }
        if let hint = Self.restIsMissing(in: list) { return hint }
        guard count >= limit || outcome.isConfirmed else { return nil }
        return next.map { "more: --after \($0)" }
    }
}

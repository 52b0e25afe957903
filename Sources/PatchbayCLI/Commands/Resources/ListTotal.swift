import Patchbay

/// The status of a list, summed over the batches printed so far.
struct ListTotal {
    private(set) var status: Status
    /// The last batch that has rows, else the first batch; nil when nothing is stored.
    private(set) var last: ItemList?
    /// The first gaps, which are stretches that were never fetched.
    private(set) var gaps: [ListGap] = []
    private(set) var gapCount = 0
    /// The first reason why rows may be missing.
    private(set) var shortfall: Shortfall?

    /// Further gaps are only counted.
    private static let gapsMax = 10

    init(_ answer: Answer<ItemList>, _ resource: ResourceDeclaration, from source: Source) {
        status = Status(answer, .init(resource), count: 0, from: source)
    }

    mutating func add(_ answer: Answer<ItemList>) {
        status.add(answer, count: answer.value?.items.count ?? 0)
        guard let list = answer.value, last == nil || !list.items.isEmpty else { return }
        last = list
        shortfall = shortfall ?? list.shortfall
        gapCount += list.gaps.count
        gaps += list.gaps.prefix(Self.gapsMax - gaps.count)
    }
}

extension Status {
    /// Adds the next batch of a list, whose age is the age of its oldest part.
    fileprivate mutating func add(_ answer: Answer<ItemList>, count: Int) {
        self.count += count
        age = [age, answer.age].compactMap(\.self).max()
        if case .unchanged = answer.outcome, case .fresh = outcome { return }
        outcome = answer.outcome
    }

    /// Records how an ordered list continues.
    mutating func show(_ total: ListTotal, limit: Int) {
        var hints = total.gaps.map { "\($0): --after \($0.after)" }
        if total.gapCount > hints.count { hints.append("\(total.gapCount - hints.count) more gaps") }
        hints += [continuation(of: total.last, limit)].compactMap(\.self)
        hint = hints.isEmpty ? nil : hints.joined(separator: ", ")
        hasMore = total.last.map { $0.next != nil }
        next = total.last?.next
        shortfall = total.shortfall
        isComplete =
            total.gapCount == 0 && shortfall == nil
            && (outcome.isConfirmed || count == limit || total.last.hasEnd)
    }

    /// Describes how an ordered list continues; nil if requesting its rest failed.
    private func continuation(of list: ItemList?, _ limit: Int) -> String? {
        switch (outcome, list?.state) {
        case (.failed, _), (.stored, _): break
        case (_, .limitReached(let maximum)): return "the limit of \(maximum) is reached"
        case (_, .endOfSource): return "the end of the list"
        default: break
        }
        if case .localOnly = outcome, count < limit, list != nil { return Self.restIsMissing }
        guard count >= limit || outcome.isConfirmed else { return nil }
        return list?.next.map { "more: --after \($0)" }
    }
}

extension ItemList? {
    /// Whether it contains all rows up to the end of the list.
    fileprivate var hasEnd: Bool {
        switch self?.state {
        case .limitReached, .endOfSource: true
        case .failed, .fetching, .more, nil: false
        }
    }
}

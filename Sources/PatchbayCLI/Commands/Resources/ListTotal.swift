import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What is known of a list of which some batches were printed, or all of it.
struct ListTotal {
    private(set) var status: Status
    /// The last batch that has rows; the first if none has, and nil when nothing is stored.
    private(set) var last: ItemList?
    /// The first stretches that were never fetched.
    private(set) var gaps: [ListGap] = []
    private(set) var gapCount = 0

    /// More gaps are only counted.
    private static let gapsMax = 10

    init(_ answer: Answer<ItemList>, _ resource: ResourceDeclaration, from source: String) {
        status = Status(answer, .init(resource), count: 0, from: source)
    }

    mutating func add(_ answer: Answer<ItemList>) {
        status.add(answer, count: answer.value?.items.count ?? 0)
        guard let list = answer.value, last == nil || !list.items.isEmpty else { return }
        last = list
        gapCount += list.gaps.count
        gaps += list.gaps.prefix(Self.gapsMax - gaps.count)
    }
}

extension Status {
    /// Takes over the next batch of a list: its age is that of its oldest part.
    fileprivate mutating func add(_ answer: Answer<ItemList>, count: Int) {
        self.count += count
        age = [age, answer.age].compactMap(\.self).max()
        if case .unchanged = answer.outcome, case .fresh = outcome { return }
        outcome = answer.outcome
    }

    /// Takes over how an ordered list continues.
    mutating func show(_ total: ListTotal, limit: Int) {
        var hints = total.gaps.map { "\($0): --after \($0.after)" }
        if total.gapCount > hints.count { hints.append("\(total.gapCount - hints.count) more gaps") }
        hints += [continuation(of: total.last, limit)].compactMap(\.self)
        hint = hints.isEmpty ? nil : hints.joined(separator: ", ")
        goesOn = total.last.map { $0.next != nil }
        next = total.last?.next
        isComplete = total.gapCount == 0 && (outcome.isConfirmed || count == limit || total.last.hasEnd)
    }

    /// How an ordered list continues, unless its rest was not fetched.
    private func continuation(of list: ItemList?, _ limit: Int) -> String? {
        switch (outcome, list?.state) {
        case (.failed, _), (.stored, _): break
        case (_, .limitReached(let maximum)): return "the limit of \(maximum) is reached"
        case (_, .endOfSource): return "the end of the list"
        default: break
        }
        guard count >= limit || outcome.isConfirmed else { return nil }
        return list?.next.map { "more: --after \($0)" }
    }
}

extension ItemList? {
    /// Whether it holds all that there is up to the end of the list.
    fileprivate var hasEnd: Bool {
        switch self?.state {
        case .limitReached, .endOfSource: true
        case .failed, .fetching, .more, nil: false
        }
    }
}

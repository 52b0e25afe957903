import PatchbayCore
public import PatchbayDomain

/// Whether the rows of one or several answers are all that were requested of a list, and whether more follow them.
///
/// Rows are complete if none is missing among them, and the source has just confirmed them, there are as many as
/// requested, or the list ends with them. Commands, routes and pages show this one judgement.
public struct ListSummary: Sendable {
    /// The number of rows.
    public private(set) var count: Int
    /// The age of the oldest part.
    public private(set) var age: Duration?
    /// How the rows were obtained: `unchanged` only if all are.
    public private(set) var outcome: Outcome
    /// The last answer's rows, without an empty answer at the end; nil when nothing is stored.
    public private(set) var last: ItemList?
    /// The first 10 gaps of an ordered list.
    public private(set) var gaps: [ListGap] = []
    /// The number of all gaps.
    public private(set) var gapCount = 0
    /// The first reason why rows may be missing although the source answered.
    public private(set) var shortfall: Shortfall?
    /// The first reason why the source as it is now may list other rows.
    package private(set) var doubt: String?
    private var isWhole = true
    private let limit: Int

    private static let gapsMax = 10

    /// - Parameters:
    ///   - answer: the first answer.
    ///   - limit: the number of requested rows.
    public init(_ answer: Answer<ItemList>, limit: Int) {
        (count, age, outcome) = (answer.value?.items.count ?? 0, answer.age, answer.outcome)
        self.limit = limit
        if let list = answer.value { note(list) }
    }

    /// Adds the next part of the list.
    public mutating func add(_ answer: Answer<ItemList>) {
        count += answer.value?.items.count ?? 0
        age = [age, answer.age].compactMap(\.self).max()
        if let list = answer.value { note(list) }
        if case .fresh = outcome, case .unchanged = answer.outcome { return }
        outcome = answer.outcome
    }

    private mutating func note(_ list: ItemList) {
        isWhole = isWhole && list.isWhole
        shortfall = shortfall ?? list.shortfall
        doubt = doubt ?? list.notes.doubt
        gapCount += list.gapCount
        gaps += list.gaps.prefix(Self.gapsMax - gaps.count)
        if last == nil || !list.items.isEmpty { last = list }
    }

    /// Whether the list has more rows, or may have some because they were not fetched; nil when nothing is stored.
    public var hasMore: Bool? { last.map { $0.hasMore || $0.isPartial } }

    /// Whether these are all rows that were requested.
    public var isComplete: Bool {
        isWhole && (outcome.isConfirmed || count >= limit || hasMore == false)
    }

    /// Why rows may be missing, or the source may list other ones by now; nil for complete ones.
    public var reason: String? {
        if isComplete { return nil }
        if let reason = shortfall?.reason ?? doubt { return reason }
        if last == nil { return PageNotes.neverFetched.doubt }
        return gapCount > 0 ? "rows between these were not fetched" : Self.restIsMissing
    }

    package static let restIsMissing = "the rest was not fetched"
}

extension ListSummary {
    /// Whether a list that begins with this batch (``ItemBatches``) is complete; nil when only its end shows it,
    /// because the rest is fetched, or read, later.
    package var beginsCompleteList: Bool? {
        guard let last, shortfall == nil, doubt == nil, gapCount == 0 else { return false }
        if last.state == .endOfSource { return true }
        return outcome.isConfirmed || count == ItemBatches.rowsMax ? nil : false
    }
}

extension ItemList {
    /// Whether these are the requested rows of the source's list, as far as the storage knows.
    package var isWhole: Bool { shortfall == nil && notes.doubt == nil && !isPartial && gapCount == 0 }
}

extension SearchWindow {
    /// Why results may be missing, for a window that is not complete.
    package var reason: String {
        if let missing, missing > 0 { return "the source counts \(missing) more results than it returned" }
        if let lack { return lack }
        if let cap { return "the source returns at most \(cap) results" }
        return origin == .local ? "the source was never asked for this text" : ListSummary.restIsMissing
    }

    /// Why the source's answer lacks results (``isIncomplete``); nil when it does not.
    package var lack: String? { isIncomplete ? shortfall?.reason ?? "the source ran out of time" : nil }

    /// Whether the results are all that were requested, by the rule of ``ListSummary``. Stored rows that match a text
    /// which the source was never queried for are not.
    ///
    /// - Parameter isConfirmed: whether the source has just returned or confirmed them.
    package func isComplete(limit: Int, isConfirmed: Bool) -> Bool {
        let isCut = cap != nil && items.count < limit
        return origin != .local && !isPartial && !isIncomplete && !isCut && missing ?? 0 == 0
            && (isConfirmed || items.count >= limit || !hasMore)
    }
}

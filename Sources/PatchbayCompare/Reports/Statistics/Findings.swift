/// What the figures say in words: which storage suits what. Nothing is said of what was not measured.
///
/// The sentences speak of the largest number of rows. A storage suits what it is best at, when the next one is behind
/// by more than noise (see ``NoiseRule``); where several cannot be told apart it says so. Storages whose answers differ
/// are named first and suit nothing.
package struct Findings: Sendable, Hashable {
    /// One sentence a line, the weightiest first. Holds subjects' names as they are: escape them for where they go.
    package let sentences: [String]

    package init(_ comparison: Comparison) {
        let groups = comparison.largestGroups
        guard groups.contains(where: { $0.measuredCount > 0 }) else {
            sentences = ["Nothing was measured, so nothing can be said."]
            return
        }
        sentences =
            Findings.warnings(comparison) + Findings.speeds(comparison, groups)
            + Findings.resources(comparison) + Findings.growth(comparison)
    }
}

extension Findings {
    private static func warnings(_ comparison: Comparison) -> [String] {
        let liars = comparison.subjects.map(\.name).filter { name in
            comparison.groups.contains { $0.standings.contains { $0.subject == name && $0.mark == .differs } }
        }
        let wrong = liars.map {
            "\($0) answered otherwise than \(comparison.subjects[0].name): one of the two is wrong, "
                + "and its speed counts for nothing there."
        }
        guard !comparison.isComplete else { return wrong }
        return wrong + ["The comparison is incomplete: this is what was measured until it ended."]
    }

    /// What each subject is best at, then what cannot be told.
    private static func speeds(_ comparison: Comparison, _ groups: [ResultGroup]) -> [String] {
        guard comparison.subjects.count > 1 else {
            return ["Only one storage was measured, so there is nothing to compare it with."]
        }
        let won = comparison.subjects.compactMap { subject -> String? in
            let wins = groups.filter { $0.best?.subject == subject.name && $0.rivals.isEmpty }
            return wins.isEmpty ? nil : "\(subject.name) suits \(list(wins.map { $0.win }))."
        }
        let ties = groups.compactMap { group in
            group.best.map { best in (group, [best] + group.rivals) }
        }.filter { $0.1.count > 1 }
        let tied = ties.map { group, alike in
            "\(group.topic) (\(list(alike.map(\.subject))))"
        }
        let unsure = groups.filter { $0.best == nil && $0.measuredCount > 1 }.map(\.topic)
        return won + (tied.isEmpty ? [] : ["Alike within the noise: \(tied.joined(separator: ", "))."])
            + (unsure.isEmpty
                ? [] : ["Not decided, for lack of rounds or of right answers: \(list(unsure))."])
    }

    private static func resources(_ comparison: Comparison) -> [String] {
        let disk = comparison.bytesOnDisk.compactMap { figure in
            Spread([Double(figure.bytes)]).map { (figure.subject, $0) }
        }
        let memory = comparison.peakMemory.map { ($0.subject, $0.bytes) }
        let isDecided = memory.allSatisfy { $0.1.values.count >= NoiseRule.roundsMin }
        let leastMemory =
            isDecided
            ? smallest(memory, "The least memory, pages of mapped files included, is used by", Quantity.bytes)
            : nil
        return [smallest(disk, "The smallest on disk is", Quantity.bytes), leastMemory].compactMap { $0 }
    }

    private static func growth(_ comparison: Comparison) -> [String] {
        let means = comparison.meanGrowth.map { ($0.subject, $0.factor) }
        guard means.allSatisfy({ $0.1.values.count >= NoiseRule.roundsMin }),
            let fewest = comparison.groups.map(\.rows).min(), let most = comparison.groups.map(\.rows).max()
        else { return [] }
        let span = "from \(Quantity.count(fewest)) to \(Quantity.count(most)) rows"
        return [smallest(means, "The cost grows least \(span) with", Quantity.factor)].compactMap { $0 }
    }

    /// A sentence about who has the least of something; nil when fewer than two are known.
    private static func smallest(
        _ figures: [(subject: String, value: Spread)], _ words: String, _ text: (Double) -> String
    ) -> String? {
        let order = figures.sorted { $0.value.median < $1.value.median }
        guard order.count > 1 else { return nil }
        let least = order[0]
        let alike = order.dropFirst().filter { !isLess(least.value, than: $0.value, of: order.count) }
        let shown = order.map { "\($0.subject) \(text($0.value.median))" }.joined(separator: ", ")
        guard alike.isEmpty else {
            let names = list([least.subject] + alike.map(\.subject))
            return "\(words) \(names), which cannot be told apart (\(shown))."
        }
        return "\(words) \(least.subject) (\(shown))."
    }

    /// Single figures are counts without noise: there 2 % decides.
    private static func isLess(_ least: Spread, than other: Spread, of count: Int) -> Bool {
        if least.values.count == 1, other.values.count == 1 {
            return other.median - least.median >= NoiseRule.relevantDifferenceMin * least.median
        }
        return NoiseRule(subjects: count).verdict(least, other) == .different
    }

    /// `a`, `a and b`, `a, b and c`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension ResultGroup {
    /// Those that cannot be told from the best.
    fileprivate var rivals: [Standing] { standings.filter { $0.mark == .nearBest || $0.mark == .undecided } }

    /// What it is won at, and by how much: `reading by key (5.8× the next)`.
    fileprivate var win: String {
        let next = standings.filter { $0.mark == .behind }.compactMap(\.timesSlower).min()
        return topic + (next.map { " (\(Quantity.factor($0)) the next)" } ?? "")
    }

    /// The workload as a phrase; its name when there is none.
    package var topic: String { ResultGroup.topics[workload] ?? workload }

    private static let topics: [String: String] = [
        "load": "filling", "get-key": "reading by key", "get-login": "finding by login",
        "page-forward": "paging forward", "page-backward": "paging backward",
        "prefix-search": "searching by prefix", "favourites": "looking up favourites",
        "scan": "reading in order", "open": "opening", "first-page": "the first page after opening",
        "cold-start": "starting cold", "readers": "reading beside a writer",
        "durable-write": "single durable writes", "refresh-page": "refreshing a page",
        "sync-resume": "going on with a sync",
    ]
}

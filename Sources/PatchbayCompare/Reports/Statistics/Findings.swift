/// Recommendations in words: the workloads that each storage suits, and those in which it is many times slower.
///
/// The sentences cover the largest number of rows and only what was measured. A storage suits a workload when it is the
/// fastest by more than noise (see ``NoiseRule``). Warnings come first. A storage whose answers differ is not
/// recommended.
package enum Findings {
    /// A storage that is this many times slower than the best is named with the workload.
    static let timesSlowerMin = 5.0

    /// The most important first. They contain subjects' names unescaped.
    package static func sentences(_ comparison: Comparison) -> [String] {
        let groups = comparison.largestGroups
        guard groups.contains(where: { $0.standings.contains { $0.rate != nil } }) else {
            return ["Nothing was measured, so there is nothing to recommend."]
        }
        return warnings(comparison) + speeds(comparison, groups) + resources(comparison)
    }

    private static func warnings(_ comparison: Comparison) -> [String] {
        let liars = comparison.subjects.map(\.name).filter { name in
            comparison.groups.contains { $0.standings.contains { $0.subject == name && $0.mark == .differs } }
        }
        var warnings = liars.map {
            "\($0) answered differently from \(comparison.subjects[0].name): one of the two is wrong, "
                + "so the speed of \($0) does not count there."
        }
        if !comparison.isComplete {
            warnings.append("The comparison ended early; it covers only what was measured until then.")
        }
        // A machine with less than half of its processors idle at the start disturbs the measurements.
        if let load = comparison.loadAtStart, load > Double(comparison.machine.cores) / 2 {
            warnings.append(
                "The machine was busy at the start (load average \(Quantity.decimal(load)) on "
                    + "\(comparison.machine.cores) cores); measure again on an idle one before you rely on the "
                    + "speeds.")
        }
        return warnings
    }

    /// What each subject is best at and much slower at, then what the rounds leave open.
    private static func speeds(_ comparison: Comparison, _ groups: [ResultGroup]) -> [String] {
        guard comparison.subjects.count > 1 else {
            return ["Only one storage was measured, so there is nothing to compare it with."]
        }
        let verdicts = comparison.subjects.compactMap { subject -> String? in
            let wins = groups.filter { $0.best?.subject == subject.name && $0.rivals.isEmpty }.map(\.win)
            let losses = groups.compactMap { $0.loss(of: subject.name) }
            let slower = "much slower than the best at \(list(losses))"
            guard !wins.isEmpty else { return losses.isEmpty ? nil : "\(subject.name) is \(slower)." }
            return "\(subject.name) suits \(list(wins))\(losses.isEmpty ? "" : ", but is \(slower)")."
        }
        return verdicts
            + sentence("Equally fast within the noise", groups.filter { $0.leaves(.nearBest) }.map(\.tie))
            + sentence(
                "Undecided, because the rounds are too few; measure more",
                groups.filter { $0.leaves(.undecided) }.map(\.topic))
    }

    private static func sentence(_ words: String, _ topics: [String]) -> [String] {
        topics.isEmpty ? [] : ["\(words): \(topics.joined(separator: ", "))."]
    }

    private static func resources(_ comparison: Comparison) -> [String] {
        let disk = smallest(comparison.bytesOnDisk, "The smallest on disk is", \.median, Quantity.bytes)
        let memory = comparison.peakMemory
        guard isDecided(memory) else { return disk }
        let words = "The least memory, including pages of mapped files, is used by"
        // The most of all rounds, as in the table of resources.
        return disk + smallest(memory, words, \.highest, Quantity.bytes)
    }

    private static func isDecided(_ figures: [Comparison.Figure]) -> Bool {
        figures.allSatisfy { $0.value.values.count >= NoiseRule.roundsMin }
    }

    /// A sentence that names the subject with the least of something; none when fewer than two are known.
    private static func smallest(
        _ figures: [Comparison.Figure], _ words: String, _ figure: (Spread) -> Double,
        _ text: (Double) -> String
    ) -> [String] {
        let order = figures.sorted { figure($0.value) < figure($1.value) }
        guard order.count > 1 else { return [] }
        let least = order[0]
        let undecided = order.dropFirst().filter { !isLess(least.value, than: $0.value, of: order.count) }
        let shown = order.map { "\($0.subject) \(text(figure($0.value)))" }.joined(separator: ", ")
        guard undecided.isEmpty else {
            let names = list([least.subject] + undecided.map(\.subject))
            return ["\(words) \(names), which do not differ clearly (\(shown))."]
        }
        return ["\(words) \(least.subject) (\(shown))."]
    }

    /// A single figure is a count without noise, where 2 % decides.
    private static func isLess(_ least: Spread, than other: Spread, of count: Int) -> Bool {
        if least.values.count == 1, other.values.count == 1 {
            return NoiseRule.isRelevant(least.median, other.median)
        }
        return least.median < other.median && NoiseRule(subjects: count).verdict(least, other) == .different
    }

    /// `a`, `a and b`, `a, b and c`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension Comparison {
    /// Whether more rounds would decide a workload, as the findings advise.
    package var isUndecided: Bool { largestGroups.contains { $0.leaves(.undecided) } }
}

extension ResultGroup {
    /// Subjects that may be as fast as the best.
    fileprivate var rivals: [Standing] { standings.filter { $0.mark == .nearBest || $0.mark == .undecided } }

    /// The workload and the lead of the best: `reading by key (5.8× the next)`.
    fileprivate var win: String {
        let next = standings.filter { $0.mark == .slower }.compactMap(\.timesSlower).min()
        return topic + (next.map { " (\(Quantity.factor($0)) the next)" } ?? "")
    }

    /// The workload when a subject is many times slower than the best: `opening (78×)`.
    fileprivate func loss(of subject: String) -> String? {
        let standing = standings.first { $0.subject == subject && $0.mark == .slower }
        guard let times = standing?.timesSlower, times >= Findings.timesSlowerMin else { return nil }
        return "\(topic) (\(Quantity.factor(times)))"
    }

    /// Whether a subject has the mark, and another one is there to compare it with.
    fileprivate func leaves(_ mark: Standing.Mark) -> Bool {
        standings.contains { $0.mark == mark } && standings.count { $0.mark == mark || $0.mark == .best } > 1
    }

    /// The workload with the subjects that are equally fast: `opening (lmdb and sqlite)`.
    fileprivate var tie: String {
        let names = standings.filter { $0.mark == .best || $0.mark == .nearBest }.map(\.subject)
        return "\(topic) (\(Findings.list(names)))"
    }

    /// The workload as a phrase, or its name when it has none.
    package var topic: String { ResultGroup.topics[workload] ?? workload }

    private static let topics: [String: String] = [
        "load": "filling", "get-key": "reading by key", "get-handle": "finding by handle",
        "page-forward": "paging forward", "page-backward": "paging backward",
        "prefix-search": "searching by prefix", "favourites": "looking up favourites",
        "scan": "reading in order", "open": "opening", "first-page": "the first page after opening",
        "cold-start": "starting cold", "readers": "reading beside a writer",
        "durable-write": "single durable writes", "edit": "editing", "refresh-page": "refreshing a page",
        "sync-resume": "resuming a sync", "sync": "syncing",
    ]
}

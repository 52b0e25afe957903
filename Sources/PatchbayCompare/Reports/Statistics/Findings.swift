/// Recommendations in words: the workloads that each storage suits, and those in which it is many times slower.
///
/// The sentences cover the largest number of rows and only what was measured. A storage suits a workload when it is the
/// fastest beyond doubt (see ``SpeedRatio``). Warnings come first. A storage whose answers differ is not
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

    /// What each subject is best at and much slower at, then which are equally fast, and what the rounds leave open.
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
            + sentence("Equally fast, within 5 %", groups.filter { $0.leaves(.nearBest) }.map(\.tie))
            + sentence(
                "Undecided in the time that was given; measure longer",
                groups.filter { $0.leaves(.undecided) }.map(\.topic))
    }

    private static func sentence(_ words: String, _ topics: [String]) -> [String] {
        topics.isEmpty ? [] : ["\(words): \(topics.joined(separator: ", "))."]
    }

    private static func resources(_ comparison: Comparison) -> [String] {
        smallest(comparison.bytesOnDisk, "The smallest on disk is")
            + smallest(
                comparison.peakMemory, "The least memory, including pages of mapped files, is used by")
    }

    /// A sentence that names the subject with the fewest bytes, and those within 5 % of it; none when fewer than two
    /// are known.
    private static func smallest(_ figures: [Comparison.Figure], _ words: String) -> [String] {
        let order = figures.sorted { $0.bytes < $1.bytes }
        guard order.count > 1 else { return [] }
        let limit = Double(order[0].bytes) * SpeedRatio.equalMax
        let least = order.filter { Double($0.bytes) < limit || $0.bytes == order[0].bytes }
        let shown = order.map { "\($0.subject) \(Quantity.bytes(Double($0.bytes)))" }.joined(separator: ", ")
        let note = least.count > 1 ? ", which do not differ by 5 %" : ""
        return ["\(words) \(list(least.map(\.subject)))\(note) (\(shown))."]
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
        let next = standings.filter { $0.mark == .slower }.compactMap(\.ratio?.times).min()
        return topic + (next.map { " (\(Quantity.factor($0)) the next)" } ?? "")
    }

    /// The workload when a subject is many times slower than the best: `opening (78×)`.
    fileprivate func loss(of subject: String) -> String? {
        let standing = standings.first { $0.subject == subject && $0.mark == .slower }
        guard let times = standing?.ratio?.times, times >= Findings.timesSlowerMin else { return nil }
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

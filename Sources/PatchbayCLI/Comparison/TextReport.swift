internal import PatchbayCompare
internal import PatchbayCore
internal import PatchbayTerminal

/// A comparison for a terminal: a matrix of workloads and storages, bars for each workload, the resources used,
/// and recommendations.
///
/// No line is wider than the terminal if that has at least ``widthMin`` columns. No meaning depends on colour alone.
/// Untrusted text passes through ``TerminalText/harmless(_:)``.
struct TextReport {
    /// The whole report; ends with a line feed.
    let text: String

    static let widthMin = 60
    /// Wider lines are harder to read.
    static let widthMax = 140

    /// - Parameter width: the terminal's columns; nil, as in a file or a pipe, is 80.
    init(_ comparison: Comparison, width: Int?, isColoured: Bool) {
        let page = TextPage(
            width: min(max(width ?? 80, TextReport.widthMin), TextReport.widthMax),
            paint: Paint(isColoured: isColoured))
        let sections = [
            TextReport.heading(comparison, page), TextReport.differences(comparison, page),
            TextReport.overview(comparison, page), TextReport.speeds(comparison, page),
            TextReport.consumption(comparison, page),
            TextReport.failures(comparison, page),
            TextReport.findings(comparison, page),
        ]
        text = sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
            .joined(separator: "\n")
    }
}

extension TextReport {
    private static func heading(_ comparison: Comparison, _ page: TextPage) -> [String] {
        let settings = comparison.settings
        let machine = comparison.machine
        let names = comparison.subjects.map(\.name).joined(separator: ", ")
        let rows = settings.rows.map { Quantity.shortCount($0) }.joined(separator: ", ")
        let place =
            [
                machine.processor, "\(machine.cores) cores", Quantity.bytes(Double(machine.memoryBytes)),
                machine.kernel, machine.fileSystem,
            ] + (comparison.loadAtStart.map { ["load average \(Quantity.decimal($0))"] } ?? [])
        let work = [
            "\(rows) \(settings.resource)" + (settings.source.map { " of \($0)" } ?? ""),
            settings.duration,
            "\(settings.threads) threads", "seed \(settings.seed)",
            "durability \(settings.durability?.rawValue ?? "as configured")",
        ]
        let title = comparison.isComplete ? "Compared: " : "Compared, ended early: "
        return page.wrapped(title + names, role: .title)
            + page.wrapped(place.joined(separator: ", "), role: .aside)
            + page.wrapped(work.joined(separator: ", "), role: .aside)
    }

    private static func differences(_ comparison: Comparison, _ page: TextPage) -> [String] {
        guard !comparison.differences.isEmpty else { return [] }
        let lines = comparison.differences.flatMap { difference in
            let title =
                "! \(difference.workload), \(Quantity.count(difference.rows)) rows: "
                + "\(difference.subject) answered differently from \(difference.reference)"
            let row = difference.key + (difference.field.map { ", field \($0)" } ?? "")
            let facts = [
                ("asked", difference.query), ("row", row), (difference.reference, difference.expected),
                (difference.subject, difference.found),
            ]
            return page.wrapped(title, role: .wrong) + page.pairs(facts)
        }
        return [page.title("Different answers")] + lines
    }

    private static func failures(_ comparison: Comparison, _ page: TextPage) -> [String] {
        guard !comparison.failures.isEmpty else { return [] }
        let lines = comparison.failures.flatMap { failure in
            let place = failure.workload.map { ", \($0)" } ?? ""
            let words =
                "! \(failure.subject), \(Quantity.count(failure.rows)) rows\(place): \(failure.message)"
            return page.wrapped(words, indent: 2, role: .wrong)
        }
        return [page.title("Not measured to the end")] + lines
    }

    private static func findings(_ comparison: Comparison, _ page: TextPage) -> [String] {
        let rows = comparison.largestGroups.first.map { " with \(Quantity.count($0.rows)) rows" } ?? ""
        return [page.title("Recommendations\(rows)")]
            + Findings.sentences(comparison).flatMap { page.wrapped("- " + $0, indent: 2) }
    }
}

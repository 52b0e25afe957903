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

extension TextReport {
    /// For each number of rows and each workload one line per subject, with a bar in proportion to its speed.
    static func speeds(_ comparison: Comparison, _ page: TextPage) -> [String] {
        let groups = comparison.groups, columns = SpeedColumns(comparison, groups, page)
        return groups.map(\.rows).distinct.flatMap { rows in
            [page.title("Speed with \(Quantity.count(rows)) rows"), page.paint(columns.header, .aside)]
                + groups.filter { $0.rows == rows }.flatMap { group in
                    [heading(group, page)] + group.standings.map { columns.line($0, in: group) }
                }
        }
    }

    /// The workload, and the description of one operation as far as it fits.
    private static func heading(_ group: ResultGroup, _ page: TextPage) -> String {
        let name = page.cut(group.workload)
        let summary = page.cut(group.summary, after: TerminalText.width(of: name) + 2)
        return page.paint(name, .title) + (summary.isEmpty ? "" : "  " + page.paint(summary, .aside))
    }
}

/// The columns of the speeds; the same in all workloads, so that they can be compared down the page.
private struct SpeedColumns {
    let name: Int
    let bar: Int
    let page: TextPage

    private static let rate = 9
    private static let interval = 11
    private static let time = 8
    private static let indent = 2
    private let mark: Int
    private let times: Int

    init(_ comparison: Comparison, _ groups: [ResultGroup], _ page: TextPage) {
        self.page = page
        let names = comparison.subjects.map { TerminalText.width(of: TerminalText.harmless($0.name)) }
        name = min(max(names.max() ?? 0, 4), page.width / 5)
        mark = groups.flatMap(\.standings).map { TerminalText.width(of: $0.verdict) }.max() ?? 0
        times = page.isNarrow ? 0 : 2
        let figures = SpeedColumns.rate + SpeedColumns.interval + times * SpeedColumns.time
        bar = max(4, page.width - SpeedColumns.indent - name - figures - mark - 5 - times)
    }

    var header: String {
        let titles =
            [("median", SpeedColumns.rate), ("slower by", SpeedColumns.interval)]
            + ["p50", "p99"].suffix(times).map { ($0, SpeedColumns.time) }
        let blanks = String(repeating: " ", count: SpeedColumns.indent + name + 1 + bar + 1)
        let texts = titles.map { TerminalText.padded($0.0, to: $0.1, isRight: true) }
        return blanks + texts.joined(separator: " ")
    }

    func line(_ standing: Standing, in group: ResultGroup) -> String {
        let subject = TerminalText.cut(TerminalText.harmless(standing.subject), to: name)
        let start = "  " + TerminalText.padded(subject, to: name) + " "
        guard let rate = standing.rate else {
            return start + page.paint(page.cut("– " + (standing.reason ?? ""), after: name + 3), .aside)
        }
        let role = SpeedColumns.role(standing.mark)
        let fastest = group.standings.compactMap { $0.rate?.median }.max() ?? 0
        let latencies = standing.typicalLatencies
        let figures =
            [
                (Quantity.rate(rate.median), SpeedColumns.rate),
                (standing.interval, SpeedColumns.interval),
            ]
            + [latencies?.p50, latencies?.p99].suffix(times).map {
                ($0.map { Quantity.time(nanoseconds: $0) } ?? "–", SpeedColumns.time)
            }
        let texts = figures.map { TerminalText.padded($0.0, to: $0.1, isRight: true) }
        let drawn = page.paint(
            TextBar.drawn(rate.median / max(fastest, .leastNonzeroMagnitude), columns: bar), role)
        return start + ([drawn] + texts).joined(separator: " ") + "  "
            + page.paint(standing.verdict, role)
    }

    private static func role(_ mark: Standing.Mark) -> Paint.Role? {
        switch mark {
        case .best: .good
        case .nearBest, .undecided: .notable
        case .differs: .wrong
        case .slower, .unmeasured: nil
        }
    }
}

extension TextReport {
    /// A matrix of workloads and subjects; empty with one of either, or when a line would be too wide.
    static func overview(_ comparison: Comparison, _ page: TextPage) -> [String] {
        let groups = comparison.largestGroups
        guard groups.count > 1, comparison.subjects.count > 1 else { return [] }
        let columns =
            [TableColumn("workload")]
            + comparison.subjects.map { TableColumn($0.name, alignment: .right) }
        let rows = groups.map { group in [group.workload] + group.standings.map { group.brief($0) } }
        let table = Table(columns, rows: rows)
        let isWide = table.render(width: nil).split(separator: "\n").contains {
            TerminalText.width(of: String($0)) > page.width - 2
        }
        let title = "Overview with \(Quantity.count(groups[0].rows)) rows"
        return isWide ? [] : [page.title(title)] + lines(table, page)
    }

    /// The resources that each subject used with the most rows. A dash marks what the system does not report.
    static func consumption(_ comparison: Comparison, _ page: TextPage) -> [String] {
        var rows: [[String]] = []
        for group in comparison.largestGroups {
            let measured = group.standings.filter { $0.rate != nil }
            for (index, standing) in measured.enumerated() {
                guard let result = standing.result else { continue }
                var figures = result.consumption.map { $0 ?? "–" }
                if page.isNarrow { figures.remove(at: 2) }
                rows.append([index == 0 ? group.workload : "", standing.subject] + figures)
            }
        }
        guard !rows.isEmpty else { return [] }
        let titles =
            ["cpu/op", "written/op"] + (page.isNarrow ? [] : ["calls/op"]) + ["memory", "on disk"]
        return [page.title("Resources used")] + table(["workload", "subject"], titles, rows, page)
    }

    private static func table(
        _ names: [String], _ figures: [String], _ rows: [[String]], _ page: TextPage
    ) -> [String] {
        let columns =
            names.map { TableColumn($0, isElastic: true) }
            + figures.map { TableColumn($0, alignment: .right) }
        return lines(Table(columns, rows: rows), page)
    }

    /// The table indented by two columns, with pale titles.
    private static func lines(_ table: Table, _ page: TextPage) -> [String] {
        let lines = table.render(width: page.width - 2).split(separator: "\n").map { "  " + $0 }
        return lines.prefix(1).map { page.paint($0, .aside) } + lines.dropFirst()
    }
}

/// A bar of block characters, exact to an eighth of a column.
enum TextBar {
    /// - Parameter part: from 0 to 1; more is drawn as 1. A value above 0 is never drawn as an empty bar.
    /// - Returns: exactly `columns` columns, padded with blanks.
    static func drawn(_ part: Double, columns: Int) -> String {
        guard part.isFinite, part > 0 else { return String(repeating: " ", count: columns) }
        let eighths = max(1, Int((min(part, 1) * Double(columns * 8)).rounded()))
        let whole = String(repeating: "█", count: eighths / 8)
        let rest = eighths % 8 == 0 ? "" : String(parts[eighths % 8 - 1])
        return TerminalText.padded(whole + rest, to: columns)
    }

    private static let parts: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}

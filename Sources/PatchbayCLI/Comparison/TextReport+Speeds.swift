internal import PatchbayCompare
internal import PatchbayCore
internal import PatchbayTerminal

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

internal import PatchbayCompare
internal import PatchbayTerminal

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

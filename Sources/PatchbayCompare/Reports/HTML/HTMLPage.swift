internal import PatchbayCore

/// The parts of the page, from the top to the bottom.
struct HTMLPage {
    let comparison: Comparison
    let groups: [ResultGroup]
    let largest: [ResultGroup]
    let growths: [Growth]

    init(comparison: Comparison) {
        self.comparison = comparison
        groups = comparison.groups
        largest = comparison.largestGroups
        growths = comparison.growths
    }

    var header: HTML {
        let settings = comparison.settings
        let rows = settings.rows.map { Quantity.count($0) }
        let setup = [
            "\(Findings.list(rows)) rows",
            "\(settings.rounds) rounds of \(Quantity.decimal(settings.seconds)) s",
            comparison.machine.processor, "\(comparison.machine.cores) cores", "\(settings.startedAt)",
        ]
        return .element(
            "header", [:],
            [
                .element("h1", [:], HTML("Storages compared")),
                .element("p", ["class": "setup"], HTML(setup.joined(separator: " · "))), legend,
            ])
    }

    var sections: [HTML] {
        let parts = [alerts, findings, speed, latency, growth, consumption, setup, figures]
        return parts.compactMap { $0 }
    }

    var footer: HTML {
        let version = comparison.versions.first.map { "\($0.name) \($0.value)" } ?? "patchbay"
        return .element(
            "footer", [:], HTML("Written by \(version). The same figures stand in the JSON report."))
    }

    /// Which shape and colour is whose.
    private var legend: HTML {
        .element(
            "ul", ["class": "legend", "aria-label": "Storages"],
            comparison.subjects.indices.map {
                .element("li", [:], key($0))
            })
    }

    private var findings: HTML? {
        let rows = largest.first.map { " with \(Quantity.count($0.rows)) rows" } ?? ""
        let sentences = Findings(comparison).sentences
        return section(
            "findings", "What suits whom\(rows)", nil,
            [
                .element("ul", ["class": "findings"], sentences.map { .element("li", [:], HTML($0)) })
            ])
    }

    private var speed: HTML? {
        guard !largest.isEmpty else { return nil }
        let note =
            "Operations a second; longer is faster. The thin line goes from the slowest round to the fastest, "
            + "the bar to the median. “≈ best” cannot be told from the best: the difference is within the noise."
        return section(
            "speed", "Speed", note,
            [
                cards(largest.map { card($0.workload, $0.summary, [SpeedChart(group: $0).drawing]) })
            ])
    }

    private var latency: HTML? {
        let drawn = largest.compactMap { group in
            LatencyChart(group: group).drawing.map { card(group.workload, group.summary, [$0]) }
        }
        guard !drawn.isEmpty else { return nil }
        let note =
            "How long single operations took, all rounds together, on a logarithmic axis; higher is more often. "
            + "The solid line is the median (p50), the broken one p99: 99 of 100 operations were quicker."
        return section("latency", "Latency", note, [cards(drawn)])
    }

    private var growth: HTML? {
        var workloads: [String] = []
        for growth in growths where !workloads.contains(growth.workload) { workloads.append(growth.workload) }
        let drawn = workloads.compactMap { growthCard($0) }
        guard !drawn.isEmpty else { return nil }
        let note =
            "The time of one operation against the number of rows, both axes logarithmic. The dotted line grows as "
            + "the logarithm of the rows does. “No faster than log” is said only when the rounds leave no doubt. "
            + Growth.caveat
        return section("growth", "Growth", note, [legend, cards(drawn), growthTable])
    }

    private func growthCard(_ workload: String) -> HTML? {
        let own = growths.filter { $0.workload == workload }
        let places = own.compactMap { growth in
            comparison.subjects.firstIndex { $0.name == growth.subject }.map { (subject: $0, growth: growth) }
        }
        let summary = groups.first { $0.workload == workload }?.summary ?? ""
        guard let drawing = GrowthChart(workload: workload, growths: places).drawing else { return nil }
        return card(workload, summary, [drawing])
    }
}

extension HTMLPage {
    func section(_ id: StaticString, _ title: String, _ note: String?, _ content: [HTML]) -> HTML {
        let heading = HTML.element("h2", ["id": id.description], HTML(title))
        let words = note.map { [HTML.element("p", ["class": "note"], HTML($0))] } ?? []
        return .element("section", ["aria-labelledby": id.description], [heading] + words + content)
    }

    func cards(_ cards: [HTML]) -> HTML { .element("div", ["class": "cards"], cards) }

    func card(_ title: String, _ summary: String, _ content: [HTML]) -> HTML {
        .element(
            "article", ["class": "card"],
            [.element("h3", [:], HTML(title)), .element("p", ["class": "summary"], HTML(summary))] + content)
    }

    /// A subject's shape and name.
    func key(_ index: Int) -> HTML {
        HTML([SubjectMark(index: index).drawing, .element("bdi", [:], HTML(comparison.subjects[index].name))])
    }
}

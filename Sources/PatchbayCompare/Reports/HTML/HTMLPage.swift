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

    /// A part of the page that the table of contents leads to.
    struct Section {
        let id: String
        let title: String
        let html: HTML
    }

    var sections: [Section] {
        let parts = [alerts, findings, overview, speed, latency, growth, consumption, setup, figures]
        return parts.compactMap { $0 }
    }

    func contents(_ sections: [Section]) -> HTML {
        .element(
            "nav", ["aria-label": "Contents"],
            .element("ul", [:], sections.map { .element("li", [:], link($0.title, to: $0.id)) }))
    }

    var footer: HTML {
        let version = comparison.versions.first.map { "\($0.name) \($0.value)" } ?? "patchbay"
        return .element(
            "footer", [:], HTML("Written by \(version). The JSON report contains the same figures."))
    }

    /// The shape and colour of each subject.
    private var legend: HTML {
        .element(
            "ul", ["class": "legend", "aria-label": "Storages"],
            comparison.subjects.indices.map {
                .element("li", [:], key($0))
            })
    }

    private var findings: Section? {
        let rows = largest.first.map { " with \(Quantity.count($0.rows)) rows" } ?? ""
        let sentences = Findings(comparison).sentences
        return section(
            "findings", "Recommendations\(rows)", nil,
            [
                .element("ul", ["class": "findings"], sentences.map { .element("li", [:], HTML($0)) })
            ])
    }

    /// A matrix of workloads and subjects.
    private var overview: Section? {
        guard !largest.isEmpty else { return nil }
        let note =
            "The speed of the fastest storage in each workload, and how the others compare with it. A workload leads "
            + "to its chart."
        let rows = largest.map { group in
            [Cell.link(group.workload, to: "speed-\(group.workload)")]
                + group.standings.map { standing -> Cell in
                    let text = group.brief(standing)
                    return standing.mark == .best ? .best(text) : .number(text)
                }
        }
        let titles = ["workload"] + comparison.subjects.map(\.name)
        return section("overview", "Overview", note, [table("Workloads and storages", titles, rows)])
    }

    private var speed: Section? {
        guard !largest.isEmpty else { return nil }
        let note =
            "Operations per second; longer is faster. The bar ends at the median, the thin line spans the rounds from "
            + "the slowest to the fastest. “≈ best” differs from the best only within the noise. “Undecided” needs "
            + "more rounds (--rounds)."
        return section(
            "speed", "Speed", note,
            [
                cards(
                    largest.map {
                        card(
                            $0.workload, $0.summary, id: "speed-\($0.workload)", SpeedChart(group: $0).drawing
                        )
                    })
            ])
    }

    private var latency: Section? {
        let drawn = largest.compactMap { group in
            LatencyChart(group: group).drawing.map { card(group.workload, group.summary, $0) }
        }
        guard !drawn.isEmpty else { return nil }
        let note =
            "The durations of single operations in all rounds on a logarithmic axis; higher is more frequent. The "
            + "solid line is the median (p50), the broken one p99: 99 of 100 operations were faster. An arrow "
            + "after the longest duration (max) says that it is beyond the end of the axis."
        return section("latency", "Latency", note, [cards(drawn)])
    }

    private var growth: Section? {
        var workloads: [String] = []
        for growth in growths where !workloads.contains(growth.workload) { workloads.append(growth.workload) }
        let drawn = workloads.compactMap { growthCard($0) }
        guard !drawn.isEmpty else { return nil }
        let note =
            "The time of one operation against the number of rows, both axes logarithmic. The dotted line grows as "
            + "the logarithm of the number of rows. “No faster than log” appears only when the rounds leave no doubt. "
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
        return card(workload, summary, drawing)
    }
}

extension HTMLPage {
    func section(_ id: String, _ title: String, _ note: String?, _ content: [HTML]) -> Section {
        let heading = HTML.element("h2", ["id": id], HTML(title))
        let words = note.map { [HTML.element("p", ["class": "note"], HTML($0))] } ?? []
        let html = HTML.element("section", ["aria-labelledby": id], [heading] + words + content)
        return Section(id: id, title: title, html: html)
    }

    func link(_ text: String, to id: String) -> HTML { .element("a", ["href": "#\(id)"], HTML(text)) }

    func cards(_ cards: [HTML]) -> HTML { .element("div", ["class": "cards"], cards) }

    func card(_ title: String, _ summary: String, id: String? = nil, _ drawing: HTML) -> HTML {
        let heading =
            id.map { HTML.element("h3", ["id": $0], HTML(title)) } ?? .element("h3", [:], HTML(title))
        return .element(
            "article", ["class": "card"],
            [heading, .element("p", ["class": "summary"], HTML(summary)), drawing])
    }

    /// A subject's shape and name.
    func key(_ index: Int) -> HTML {
        HTML([SubjectMark(index: index).drawing, .element("bdi", [:], HTML(comparison.subjects[index].name))])
    }
}

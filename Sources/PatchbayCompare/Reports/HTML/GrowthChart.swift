/// The cost of one operation against the number of rows on logarithmic axes, with a line that grows as the logarithm.
struct GrowthChart {
    let workload: String
    /// One for each subject, with its index in the comparison; at least one.
    let growths: [(subject: Int, growth: Growth)]

    private static let height = 210.0
    private static let left = 52.0
    private static let right = SVG.width - 16
    private static let bottom = height - 26
    private static let top = 10.0

    /// Nil when there is no cost to draw.
    var drawing: HTML? {
        let points = growths.flatMap(\.growth.points)
        guard let rows = LogScale(points.map { Double($0.rows) }),
            let costs = LogScale(
                points.flatMap { [$0.cost.lowest, $0.cost.highest] } + reference.map(\.cost), margin: 1.3)
        else { return nil }
        let plot = Plot(rows: rows, costs: costs)
        let words = growths.map { growth in
            "\(growth.growth.subject): \(Quantity.factor(growth.growth.factor)), \(growth.growth.verdict.words)"
        }
        return SVG.drawing(
            height: GrowthChart.height, title: "\(workload): time of one operation by number of rows",
            description: words.joined(separator: "; "),
            plot.axes(Set(points.map(\.rows)).sorted()) + [plot.line(reference, "reference")]
                + growths.flatMap {
                    plot.course($0.growth, SubjectMark(index: $0.subject))
                })
    }

    /// The cheapest subject's cost if it grew as the logarithm does.
    private var reference: [(rows: Double, cost: Double)] {
        let cheapest = growths.map(\.growth).min { $0.points[0].cost.median < $1.points[0].cost.median }
        guard let cheapest else { return [] }
        return cheapest.points.map { (Double($0.rows), cheapest.logarithmicCost(at: $0.rows)) }
    }

    private struct Plot {
        let rows: LogScale
        let costs: LogScale

        func x(_ count: Double) -> Double { left + rows.position(count) * (right - left) }
        func y(_ cost: Double) -> Double { bottom - costs.position(cost) * (bottom - top) }

        func line(_ points: [(rows: Double, cost: Double)], _ style: String) -> HTML {
            SVG.path(points.map { (x($0.rows), y($0.cost)) }, isClosed: false, style)
        }

        func course(_ growth: Growth, _ mark: SubjectMark) -> [HTML] {
            let medians = growth.points.map { (Double($0.rows), $0.cost.median) }
            let ranges = growth.points.filter { y($0.cost.lowest) - y($0.cost.highest) >= 1 }
            return [line(medians, "course \(mark.stroke)")]
                + ranges.map {
                    let x = x(Double($0.rows))
                    return SVG.line(x, y($0.cost.lowest), x, y($0.cost.highest), "whisker")
                } + medians.map { mark.shape(x($0.0), y($0.1)) }
        }

        func axes(_ counts: [Int]) -> [HTML] {
            let across = costs.ticks(most: 6).flatMap { tick in
                [
                    SVG.line(left, y(tick), right, y(tick), "grid"),
                    SVG.text(left - 7, y(tick) + 4, "tick end", Quantity.shortTime(seconds: tick)),
                ]
            }
            let places = counts.map { x(Double($0)) }
            return across + places.map { SVG.line($0, top, $0, bottom, "grid") }
                + SVG.labels(zip(places, counts.map { Quantity.shortCount($0) }).map { $0 }, y: bottom + 17)
        }
    }
}

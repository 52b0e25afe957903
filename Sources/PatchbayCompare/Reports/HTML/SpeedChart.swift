/// The operations per second of each subject in one workload as a bar, with the range of its rounds.
struct SpeedChart {
    let group: ResultGroup

    private static let laneHeight = 40.0

    var drawing: HTML {
        let lanes = group.standings.enumerated().flatMap { lane($0.element, at: $0.offset) }
        return SVG.drawing(
            height: Double(group.standings.count) * SpeedChart.laneHeight + 4,
            title: "\(group.workload): operations per second with \(Quantity.count(group.rows)) rows",
            description: group.standings.map { "\($0.subject): \(SpeedChart.words($0))" }.joined(
                separator: "; "),
            lanes)
    }

    private var scale: Double {
        max(group.standings.compactMap { $0.rate?.highest }.max() ?? 0, .leastNormalMagnitude)
    }

    private func lane(_ standing: Standing, at index: Int) -> [HTML] {
        let y = Double(index) * SpeedChart.laneHeight
        let mark = SubjectMark(index: index)
        let name = [
            mark.shape(6, y + 10),
            SVG.text(16, y + 14, "name", SVG.shortened(standing.subject, columns: 22)),
        ]
        guard let rate = standing.rate else {
            return name + [
                SVG.text(16, y + 31, "aside", SVG.shortened(SpeedChart.words(standing), columns: 50))
            ]
        }
        let style = standing.mark == .differs ? "hollow \(mark.stroke)" : mark.fill
        let value = SVG.text(
            SVG.width, y + 14, "value end \(SpeedChart.style(standing))", SpeedChart.words(standing))
        let bar = SVG.rectangle(0.5, y + 20, (SVG.width - 1) * rate.median / scale, 11, style)
        return name + [value, bar] + whisker(rate, y + 25.5)
    }

    /// From the slowest round to the fastest.
    private func whisker(_ rate: Spread, _ y: Double) -> [HTML] {
        let ends = [rate.lowest, rate.highest].map { 0.5 + (SVG.width - 1) * $0 / scale }
        guard ends[1] - ends[0] >= 1 else { return [] }
        return [SVG.line(ends[0], y, ends[1], y, "whisker")]
            + ends.map { SVG.line($0, y - 3.5, $0, y + 3.5, "whisker") }
    }

    /// The speed with the verdict, or the reason why there is none.
    private static func words(_ standing: Standing) -> String {
        standing.rate.map { "\(Quantity.rate($0.median)), \(standing.verdict)" } ?? standing.reason ?? ""
    }

    private static func style(_ standing: Standing) -> String {
        switch standing.mark {
        case .best: "good"
        case .differs: "wrong"
        default: ""
        }
    }
}

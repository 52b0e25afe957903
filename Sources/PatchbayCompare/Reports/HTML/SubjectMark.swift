/// A subject's colour and shape. Either alone distinguishes up to eight subjects.
struct SubjectMark: Sendable {
    let index: Int

    static let count = 8

    /// The CSS classes that colour a filled area, or a line.
    var fill: String { "f\(colour)" }
    var stroke: String { "l\(colour)" }

    /// The subjects from the ninth on combine the same shapes with other colours.
    private var colour: Int { (index + index / SubjectMark.count) % SubjectMark.count }

    /// The shape around a point.
    func shape(_ x: Double, _ y: Double, size: Double = 4.5) -> HTML {
        let corners = SubjectMark.corners[index % SubjectMark.count]
        guard !corners.isEmpty else {
            return .element(
                "circle",
                [
                    "cx": SVG.coordinate(x), "cy": SVG.coordinate(y), "r": SVG.coordinate(size),
                    "class": "mark \(fill)",
                ])
        }
        let points = corners.map { (x: x + $0.0 * size, y: y + $0.1 * size) }
        return SVG.path(points, isClosed: true, "mark \(fill)")
    }

    /// The shape as a separate drawing, for lists and tables.
    var drawing: HTML {
        .element(
            "svg", ["viewBox": "0 0 12 12", "class": "key", "aria-hidden": "true"], shape(6, 6, size: 4.8))
    }

    /// The corners of each shape; a circle has none.
    private static let corners: [[(Double, Double)]] = [
        [], [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)], [(0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
        [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)], [(-1.1, -0.9), (1.1, -0.9), (0, 1.1)],
        [
            (-0.4, -1.1), (0.4, -1.1), (0.4, -0.4), (1.1, -0.4), (1.1, 0.4), (0.4, 0.4), (0.4, 1.1),
            (-0.4, 1.1),
            (-0.4, 0.4), (-1.1, 0.4), (-1.1, -0.4), (-0.4, -0.4),
        ],
        [(-0.6, -1), (0.6, -1), (1.2, 0), (0.6, 1), (-0.6, 1), (-1.2, 0)],
        [(0, -1.2), (1.15, -0.35), (0.7, 1), (-0.7, 1), (-1.15, -0.35)],
    ]
}

/// The elements of the charts. Lengths are in units of a drawing that is ``width`` units wide.
enum SVG {
    /// As wide as a card on a telephone, so that text keeps its size there.
    static let width = 340.0

    /// A whole drawing with a title and a description for readers who cannot see it.
    static func drawing(height: Double, title: String, description: String, _ content: [HTML]) -> HTML {
        .element(
            "svg",
            [
                "viewBox": "0 0 \(coordinate(width)) \(coordinate(height))", "role": "img",
                "aria-label": "\(title). \(description)",
            ],
            [.element("title", [:], HTML(title)), .element("desc", [:], HTML(description))] + content)
    }

    static func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String
    ) -> HTML {
        .element(
            "line",
            [
                "x1": coordinate(x1), "y1": coordinate(y1), "x2": coordinate(x2), "y2": coordinate(y2),
                "class": style,
            ])
    }

    static func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String
    ) -> HTML {
        .element(
            "rect",
            [
                "x": coordinate(x), "y": coordinate(y), "width": coordinate(max(width, 0.5)),
                "height": coordinate(height), "rx": "2", "class": style,
            ])
    }

    /// - Parameter style: its words `end` and `middle` also align the text.
    static func text(_ x: Double, _ y: Double, _ style: String, _ words: String) -> HTML {
        .element("text", ["x": coordinate(x), "y": coordinate(y), "class": style], HTML(words))
    }

    /// The labels below an axis, from left to right and inside the drawing. A label that would touch the one before it
    /// is left out.
    static func labels(_ labels: [(x: Double, text: String)], y: Double) -> [HTML] {
        var free = -Double.infinity
        return labels.compactMap { x, text in
            let half = Double(text.count) * 3.2 + 3
            let middle = min(max(x, half), width - half)
            guard middle - half >= free else { return nil }
            free = middle + half
            return SVG.text(middle, y, "tick middle", text)
        }
    }

    static func path(_ points: [(x: Double, y: Double)], isClosed: Bool, _ style: String) -> HTML {
        let texts = points.map { "\(coordinate($0.x)) \(coordinate($0.y))" }
        let course = "M" + texts.joined(separator: "L") + (isClosed ? "Z" : "")
        return .element("path", ["d": course, "class": style])
    }

    /// A tenth of a unit is finer than can be seen.
    static func coordinate(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        let text = "\(abs(tenths) / 10)" + (tenths % 10 == 0 ? "" : ".\(abs(tenths) % 10)")
        return tenths < 0 ? "-" + text : text
    }

    /// A name that leaves room for the text beside it; wide characters count twice.
    static func shortened(_ name: String, columns: Int) -> String {
        var left = columns
        let kept = name.prefix { character in
            left -= character.isASCII ? 1 : 2
            return left >= 0
        }
        return kept.count == name.count ? name : kept + "…"
    }
}

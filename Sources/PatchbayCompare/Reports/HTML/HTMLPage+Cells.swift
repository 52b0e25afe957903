extension HTMLPage {
    /// A table's cell.
    enum Cell {
        case word(String)
        case number(String)
        /// A subject's name, shown with its shape.
        case subject(String)
    }

    /// A table that scrolls by itself when it is wider than the page.
    func table(_ caption: String, _ titles: [String], _ rows: [[Cell]]) -> HTML {
        let first = rows.first ?? []
        let heads = zip(titles.indices, titles).map { index, title in
            let isNumber = if index < first.count, case .number = first[index] { true } else { false }
            return HTML.element("th", ["scope": "col", "class": isNumber ? "number" : "word"], HTML(title))
        }
        let lines = rows.map { row in HTML.element("tr", [:], row.map { cell($0) }) }
        return .element(
            "div", ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": caption],
            .element(
                "table", [:],
                [
                    .element("caption", [:], HTML(caption)),
                    .element("thead", [:], .element("tr", [:], heads)), .element("tbody", [:], lines),
                ]))
    }

    private func cell(_ cell: Cell) -> HTML {
        switch cell {
        case .word(let text): .element("td", [:], HTML(text))
        case .number(let text): .element("td", ["class": "number"], HTML(text))
        case .subject(let name):
            comparison.subjects.firstIndex { $0.name == name }.map {
                .element("td", ["class": "subject"], key($0))
            } ?? .element("td", [:], HTML(name))
        }
    }
}

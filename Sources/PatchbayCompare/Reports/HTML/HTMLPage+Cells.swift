extension HTMLPage {
    /// A cell of a table.
    enum Cell {
        case word(String)
        case number(String)
        /// A number that is shown in the colour of the best.
        case best(String)
        /// A text that leads to an element of the page.
        case link(String, to: String)
        /// A subject's name, shown with its shape.
        case subject(String)
    }

    /// A table that scrolls when it is wider than the page.
    func table(_ caption: String, _ titles: [String], _ rows: [[Cell]]) -> HTML {
        let first = rows.first ?? []
        let heads = zip(titles.indices, titles).map { index, title in
            let isNumber = index < first.count && first[index].isNumber
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
        case .best(let text): .element("td", ["class": "number best"], HTML(text))
        case .link(let text, let id): .element("td", [:], link(text, to: id))
        case .subject(let name):
            comparison.subjects.firstIndex { $0.name == name }.map {
                .element("td", ["class": "subject"], key($0))
            } ?? .element("td", [:], HTML(name))
        }
    }
}

extension HTMLPage.Cell {
    fileprivate var isNumber: Bool {
        switch self {
        case .number, .best: true
        case .word, .link, .subject: false
        }
    }
}

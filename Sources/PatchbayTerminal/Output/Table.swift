package import PatchbayGateway

/// A table with aligned columns for people.
///
/// Columns are two spaces apart, titles are in upper case, and no line ends in a space. Every title and value passes
/// through ``TerminalText/harmless(_:)``, so a stored name cannot move the cursor or break a line.
package struct Table: Sendable {
    package var columns: [TableColumn]
    /// The texts of each row, one per column.
    package var rows: [[String]]

    package init(_ columns: [TableColumn], rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == columns.count }, "a row has a value for each column")
        self.columns = columns
        self.rows = rows
    }

    /// Creates a table whose columns take their values from records.
    package init(_ columns: [TableColumn], of records: [OutputRecord]) {
        self.init(columns, rows: records.map { record in columns.map { $0.value(record) } })
    }

    /// Returns the table as lines, starting with the titles.
    ///
    /// - Parameter width: The terminal's width in columns; nil if the output is not a terminal, so that nothing is cut
    ///   or wrapped. If the elastic columns cannot shrink enough, lines are longer than the width and the terminal
    ///   wraps them.
    package func render(width: Int?, paint: Paint = Paint(isColoured: false)) -> String {
        var widths: [Int]?
        return render(width: width, paint: paint, widths: &widths)
    }

    /// Returns a part of a long table as lines. The first part, for which `widths` is nil, has the titles and
    /// determines the widths.
    package func render(width: Int?, paint: Paint, widths: inout [Int]?) -> String {
        let cells = rows.map { $0.map { Cell($0) } }
        let titles = columns.map { Cell($0.title.uppercased()) }
        let isFirst = widths == nil
        let chosen = widths ?? self.widths(of: [titles] + cells, width)
        widths = chosen
        let limits = limits(chosen, width)
        var text = ""
        if isFirst {
            var line = ""
            append(titles, [], chosen, limits, paint, to: &line)
            text = paint(String(line.dropLast()), .title) + "\n"
        }
        for (row, cells) in zip(rows, cells) {
            append(cells, columns.map { $0.role(row) }, chosen, limits, paint, to: &text)
        }
        return text
    }

    private func widths(of lines: [[Cell]], _ width: Int?) -> [Int] {
        let natural = columns.indices.map { column in lines.reduce(0) { max($0, $1[column].width) } }
        return width.map { shrunk(natural, toFit: $0) } ?? natural
    }

    /// The widths to which values are cut. Numbers and keys are never cut, even if later parts have wider ones. Longer
    /// texts of later parts share the room that the first part leaves.
    private func limits(_ widths: [Int], _ width: Int?) -> [Int] {
        guard let width else { return widths.map { _ in .max } }
        let used = widths.reduce(0, +) + Table.gaps(between: widths)
        let room = max(0, width - used) / max(1, columns.count { $0.isElastic })
        return zip(columns, widths).map { $0.isElastic ? $1 + room : .max }
    }

    private func append(
        _ row: [Cell], _ roles: [Paint.Role?], _ widths: [Int], _ limits: [Int], _ paint: Paint,
        to text: inout String
    ) {
        let parts = columns.indices.map { column in
            columns[column].wraps
                ? row[column].wrapped(to: limits[column]) : [row[column].cut(to: limits[column])]
        }
        for number in 0..<(parts.map(\.count).max() ?? 0) {
            let line = parts.map { number < $0.count ? $0[number] : Cell("") }
            appendLine(line, roles, widths, paint, to: &text)
        }
    }

    private func appendLine(
        _ line: [Cell], _ roles: [Paint.Role?], _ widths: [Int], _ paint: Paint, to text: inout String
    ) {
        var blanks = 0
        for (place, cell) in line.enumerated() {
            // A value that is wider than its column shifts the following ones.
            let padding = max(0, widths[place] - cell.width)
            let alignment = columns[place].alignment
            if alignment == .right { blanks += padding }
            if cell.width > 0 {
                text += String(repeating: " ", count: blanks)
                text += roles.isEmpty ? cell.text : paint(cell.text, roles[place])
                blanks = 0
            }
            blanks += Table.gap + (alignment == .left ? padding : 0)
        }
        while text.unicodeScalars.last == " " { text.unicodeScalars.removeLast() }
        text += "\n"
    }

    /// The number of blank columns between values.
    package static let gap = 2
    /// The minimum width of an elastic column, however narrow the terminal is.
    static let elasticWidthMin = 8

    /// Returns the width of the gaps. A last column without a title takes no room unless it has values.
    private static func gaps(between widths: [Int]) -> Int {
        gap * max(widths.count - (widths.last == 0 ? 2 : 1), 0)
    }

    /// Shrinks the elastic columns, the widest first, until the table fits the terminal.
    private func shrunk(_ natural: [Int], toFit terminalWidth: Int) -> [Int] {
        var widths = natural
        let elastic = columns.indices.filter { columns[$0].isElastic }.sorted { natural[$0] < natural[$1] }
        let fixed = columns.indices.filter { !columns[$0].isElastic }.reduce(0) { $0 + natural[$1] }
        var left = terminalWidth - fixed - Table.gaps(between: natural)
        for (index, column) in elastic.enumerated() {
            let share = max(left / (elastic.count - index), Table.elasticWidthMin)
            widths[column] = min(natural[column], share)
            left -= widths[column]
        }
        return widths
    }
}

/// A value that is safe to print, with its width.
private struct Cell {
    let text: String
    let width: Int

    init(_ text: String) {
        let text = TerminalText.harmless(text)
        self.init(text, width: TerminalText.width(of: text))
    }

    private init(_ text: String, width: Int) {
        self.text = text
        self.width = width
    }

    func cut(to limit: Int) -> Cell {
        guard width > limit else { return self }
        let text = TerminalText.cut(text, to: limit)
        return Cell(text, width: TerminalText.width(of: text))
    }

    func wrapped(to limit: Int) -> [Cell] {
        guard width > limit else { return [self] }
        return TerminalText.wrapped(words: text, to: limit).map {
            Cell($0, width: TerminalText.width(of: $0))
        }
    }
}

/// A column of a table: its value, and how it shrinks on a narrow terminal.
package struct TableColumn: Sendable {
    package enum Alignment: Sendable { case left, right }

    /// The heading, which the table prints in upper case.
    package let title: String
    package let alignment: Alignment
    /// Whether values may be cut if the terminal is too narrow; false for numbers and keys.
    package let isElastic: Bool
    /// Whether values are wrapped instead of cut, for values that people need to see in full.
    package let wraps: Bool
    package let value: @Sendable (OutputRecord) -> String
    /// Returns the role of the value in a row with these texts.
    package var role: @Sendable ([String]) -> Paint.Role? = { _ in nil }

    package init(
        _ title: String, alignment: Alignment = .left, isElastic: Bool = false, wraps: Bool = false,
        value: @escaping @Sendable (OutputRecord) -> String
    ) {
        self.title = title
        self.alignment = alignment
        self.isElastic = isElastic || wraps
        self.wraps = wraps
        self.value = value
    }

    /// Creates a column that shows one field, by default the one named like the column.
    package init(
        _ title: String, alignment: Alignment = .left, isElastic: Bool = false, wraps: Bool = false,
        field: String? = nil
    ) {
        let name = field ?? title
        self.init(title, alignment: alignment, isElastic: isElastic, wraps: wraps) { $0[name].description }
    }
}

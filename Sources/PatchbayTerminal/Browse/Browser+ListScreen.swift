import Patchbay

extension Browser {
    var listLines: [BrowserScreen.Line] {
        let rows = rows
        let heading = isRoomy ? [self.heading] : []
        guard !rows.isEmpty else { return heading + [line(""), line("  " + emptyWords)] }
        let shown = shownRows
        let selectedRow = selectedRow, columns = columns
        return heading
            + shown.flatMap { row in
                let isSelected = row == selectedRow
                return [bar(pieces(ofRow: row, columns, isSelected), isSelected ? .selected : .plain)]
                    + childLines(of: rows[row])
            }
    }

    /// The rows on the screen. A long note leaves room for fewer, but the selected row is always among them.
    private var shownRows: Range<Int> {
        let lines = listHeight - (noteLines.count > 1 && prompt == nil ? noteLines.count - 1 : 0)
        let height = max(1, lines / linesPerRow)
        let first = max(top, (selectedRow ?? 0) - height + 1)
        return first..<max(first, min(first + height, rows.count))
    }

    private var columns: BrowserColumns {
        let numbers = rows.map { BrowserColumns.number(of: $0, resource).count }
        return BrowserColumns(resource, width: size.columns, numberWidth: numbers.max() ?? 0)
    }

    private var heading: BrowserScreen.Line {
        let columns = columns
        return bar(
            [Piece("    ")]
                + cells(
                    [
                        columns.piece(number: columns.title(columns.number)),
                        Piece(columns.title(columns.handle)),
                        Piece(columns.title(columns.name)), Piece(columns.title(columns.kind)),
                    ], columns), .heading)
    }

    /// Returns a row. `>` marks the selected row, `*` a favourite, `~` an edited row, and `^` the first row after a
    /// gap.
    private func pieces(ofRow place: Int, _ columns: BrowserColumns, _ isSelected: Bool) -> [Piece] {
        let item = rows[place]
        let edited = editable.filter { item.override(of: $0) != nil }
        let marks = [
            isSelected ? Piece(">") : nil, favourites.contains(item.key) ? Piece("*", .notable) : nil,
            edited.isEmpty ? nil : Piece("~", .edited), isAfterGap(place) ? Piece("^", .aside) : nil,
        ].map { $0 ?? Piece(" ") }
        let badges = ItemColumns(resource.declaration).badges { item[$0] == .boolean(true) }
        let kind =
            item.state.sourceState ?? badges.first ?? columns.kind.flatMap { item.shown($0) }?.description
        let kindRole: Paint.Role? = item.state.sourceState != nil || !badges.isEmpty ? .notable : nil
        return marks
            + cells(
                [
                    columns.piece(number: BrowserColumns.number(of: item, resource)),
                    Piece(columns.handle == nil ? "" : item.handle),
                    Piece(
                        columns.name.flatMap { item.shown($0) }?.description.firstLine ?? "",
                        columns.name.map(edited.contains) == true ? .edited : nil),
                    Piece(kind ?? "", kindRole),
                ], columns)
    }

    private func cells(_ cells: [Piece], _ columns: BrowserColumns) -> [Piece] {
        let shown = zip(cells, columns.widths).filter { $1 > 0 }
        return shown.enumerated().flatMap { place, cell in
            let text = Piece(padded(cell.0.text, to: cell.1), cell.0.role)
            return place > 0 || columns.number == nil ? [Piece("  "), text] : [text]
        }
    }

    private var emptyWords: String {
        switch found?.subject {
        case .beginning(let text):
            let words = SearchWords(resource.declaration).beginnings
            return "no stored \(words) begins with \"\(text)\"; Esc goes back to the list"
        case .order: return "nothing is stored; Esc goes back to the list"
        case nil: break
        }
        if window?.list == .fetching || window == nil { return "querying \(source)…" }
        return isOffline
            ? "nothing is stored; start without --offline to fetch \(resource.plural)"
            : "nothing is stored; press r to query \(source)"
    }

    /// Returns the position in the list, how the list continues, and its age.
    func listState(at now: Timestamp) -> [Piece] {
        let shown = rows[shownRows]
        var parts: [Piece] = []
        if let found {
            let count = found.items.count
            let noun = count == 1 ? resource.singular : resource.plural
            parts.append(Piece("\(count)\(found.isComplete ? "" : " or more") stored \(noun)"))
            if case .order(let order) = found.subject { parts.append(Piece("by \(order.words)")) }
        } else {
            if let first = shown.first?.order, let last = shown.last?.order {
                parts.append(Piece("\(first)–\(last)"))
            }
            if let words = gapWords { parts.append(Piece(words)) }
            if let window {
                parts.append(Piece(ringWords(window) ?? words(window), window.error == nil ? nil : .wrong))
            }
        }
        if let age = shown.compactMap(\.state.fetchedAt).min()?.storedAge(at: now) {
            parts.append(Self.piece(age))
        }
        return parts
    }

    /// The first gap on the screen, and the number of others.
    private var gapWords: String? {
        let gaps = shownRows.filter { $0 > 0 && isAfterGap($0) }
        guard let first = gaps.first, let before = rows[first - 1].order, let after = rows[first].order else {
            return nil
        }
        let ids = "\(before + 1)–\(after - 1) not fetched"
        return gaps.count > 1 ? ids + " and \(gaps.count - 1) more" : ids
    }

    private func isAfterGap(_ row: Int) -> Bool {
        guard found == nil, let window else { return false }
        return window.gaps.contains(window.items[row].position)
    }

    /// The age above which rows are marked as old.
    private static let oldAge = Duration.seconds(24 * 60 * 60)

    static func piece(_ age: Duration) -> Piece {
        Piece("stored \(Age.ago(age))", age > oldAge ? .notable : nil)
    }

    private func words(_ window: Window) -> String {
        if let error = window.error { return error.failure(of: source) }
        return switch window.list {
        case .fetching: "fetching…"
        case .limitReached(let maximum): "the limit of \(maximum) is reached"
        case .endOfSource: "the end of the list"
        case .failed, .more: window.hasLater ? "more" : "the end of the stored rows"
        }
    }
}

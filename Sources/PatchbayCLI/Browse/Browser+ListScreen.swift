import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Browser {
    var listLines: [BrowserScreen.Line] {
        let rows = rows
        let heading = isRoomy ? [self.heading] : []
        guard !rows.isEmpty else { return heading + [line(""), line("  " + emptyWords)] }
        let shown = shownRows
        let selectedRow = selectedRow
        return heading
            + shown.map { row in
                let isSelected = row == selectedRow
                return bar(text(ofRow: row, isSelected), isSelected ? .selected : .plain)
            }
    }

    /// The rows on the screen. A long note leaves room for fewer, but the selected row is always among them.
    private var shownRows: Range<Int> {
        let height = max(1, listHeight - (noteLines.count > 1 && prompt == nil ? noteLines.count - 1 : 0))
        let first = max(top, (selectedRow ?? 0) - height + 1)
        return first..<max(first, min(first + height, rows.count))
    }

    private var columns: BrowserColumns {
        let numbers = rows.map { BrowserColumns.number(of: $0, resource).count }
        return BrowserColumns(resource, width: size.columns, numberWidth: numbers.max() ?? 0)
    }

    private var heading: BrowserScreen.Line {
        let columns = columns
        let number = columns.title(columns.number)
        let padding = String(repeating: " ", count: max(0, columns.numberWidth - number.count))
        return bar(
            cells(
                [
                    "    " + padding + number, columns.title(columns.handle), columns.title(columns.name),
                    columns.title(columns.kind),
                ], columns), .heading)
    }

    /// Returns the text of a row. `>` marks the selected row, `*` a favourite, `~` an edited row, and `^` the first row
    /// after a gap.
    private func text(ofRow place: Int, _ isSelected: Bool) -> String {
        let item = rows[place], columns = columns
        let isEdited = editable.contains { item.override(of: $0) != nil }
        let marks =
            (isSelected ? ">" : " ") + (favourites.contains(item.key) ? "*" : " ") + (isEdited ? "~" : " ")
            + (isBehindGap(place) ? "^" : " ")
        let number = BrowserColumns.number(of: item, resource)
        let padding = String(repeating: " ", count: max(0, columns.numberWidth - number.count))
        let badges = ItemColumns(resource.declaration).badges(item)
        let kind =
            badges.first
            ?? (item.state.goneAt == nil ? columns.kind.flatMap { item.shown($0) }?.description : "gone")
        return cells(
            [
                marks + padding + number, columns.handle == nil ? "" : item.handle,
                columns.name.flatMap { item.shown($0) }?.description.firstLine ?? "", kind ?? "",
            ], columns)
    }

    private func cells(_ texts: [String], _ columns: BrowserColumns) -> String {
        zip(texts, columns.widths).filter { $1 > 0 }.map { padded($0, to: $1) }.joined(separator: "  ")
    }

    private var emptyWords: String {
        if found != nil { return "nothing found; Esc goes back to the list" }
        if window?.list == .fetching || window == nil { return "querying \(source)…" }
        return isOffline
            ? "nothing is stored; start without --offline to fetch \(resource.plural)"
            : "nothing is stored; press r to query \(source)"
    }

    /// Returns the position in the list, how the list continues, and its age.
    func listState(at now: Timestamp) -> [String] {
        let shown = rows[shownRows]
        var parts: [String] = []
        if let found {
            let count = found.items.count
            let noun = count == 1 ? resource.singular : resource.plural
            parts.append("\(count)\(found.isComplete ? "" : " or more") stored \(noun)")
        } else {
            if let first = shown.first?.order, let last = shown.last?.order {
                parts.append("\(first)–\(last)")
            }
            if let words = gapWords { parts.append(words) }
            if let words = window.map(words) { parts.append(words) }
        }
        if let age = shown.compactMap(\.state.fetchedAt).min()?.age(at: now) { parts.append(Self.words(age)) }
        return parts
    }

    /// The first gap on the screen, and the number of others.
    private var gapWords: String? {
        let gaps = shownRows.filter { $0 > 0 && isBehindGap($0) }
        guard let first = gaps.first, let before = rows[first - 1].order, let after = rows[first].order else {
            return nil
        }
        let ids = "\(before + 1)–\(after - 1) not fetched"
        return gaps.count > 1 ? ids + " and \(gaps.count - 1) more" : ids
    }

    private func isBehindGap(_ row: Int) -> Bool {
        guard found == nil, let window else { return false }
        return window.gaps.contains(window.items[row].position)
    }

    static func words(_ age: Duration) -> String {
        age < .seconds(1) ? "stored just now" : "stored \(Age.text(age)) ago"
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

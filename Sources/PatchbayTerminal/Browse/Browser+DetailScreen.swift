import Patchbay

extension Browser {
    /// The number of lines of a detail that fit on the screen.
    var detailHeight: Int { max(1, size.rows - (isRoomy ? 4 : 2)) }

    /// Returns the lines of the detail that are on the screen.
    func shownDetail(at now: Timestamp) -> [BrowserScreen.Line] {
        let lines = detailLines()
        return Array(lines.dropFirst(max(0, min(detailTop, lines.count - detailHeight))).prefix(detailHeight))
    }

    /// Returns all lines of the detail: one per field, more for long values.
    func detailLines() -> [BrowserScreen.Line] {
        guard let item = detail else { return [] }
        let state = item.state
        var fields = ItemRecords(resource.declaration).shownFields(of: item)
        if favourites.contains(item.key) { fields.append(("favourite", "yes")) }
        if state.detailFetchedAt == nil, resource.declaration.show != nil {
            fields.append(("", "no details of this \(resource.singular) are stored"))
        }
        let labelWidth = min(18, size.columns / 3)
        let valueWidth = max(1, size.columns - labelWidth - 2)
        return [line("")]
            + fields.flatMap { field in
                let role = Listing.role(ofField: field.name)
                return TerminalText.wrapped(TerminalText.harmless(field.value), to: valueWidth).enumerated()
                    .map { number, part in
                        let label = padded(number == 0 ? field.name : "", to: labelWidth)
                        return line([Piece(" " + label, .aside), Piece(part, role)])
                    }
            }
    }

    /// Returns whether the row is from a list or a detail, and its age.
    func detailState(at now: Timestamp) -> [Piece] {
        guard let state = detail?.state else { return [] }
        let age = (state.detailFetchedAt ?? state.fetchedAt)?.age(at: now)
        return [Piece(state.detailFetchedAt == nil ? "from a list" : "detail")]
            + (age.map { [Self.piece($0)] } ?? [])
    }
}
